#include "ledger/index_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ledger/sample.h"

namespace autokernel::ledger {
namespace {

using testing::AllOf;
using testing::Field;
using testing::Optional;

IndexRow row(const std::optional<Entry>& entry) {
  return {.line = {.number = 3, .offset = 1000, .length = 200, .sum = 0xfedcba9876543210U},
          .entry = entry};
}

// Without its newline.
std::string text(const IndexRow& row) {
  std::string text = text_of(row);
  text.pop_back();
  return text;
}

auto is(const IndexRow& expected) {
  return Optional(
      AllOf(Field(&IndexRow::line, expected.line), Field(&IndexRow::entry, expected.entry)));
}

TEST(IndexRow, OfEveryKindWithAllFieldsSetIsReadBackWithoutItsMeasurement) {
  for (Entry entry : full_entries()) {
    const std::string written = text(row(entry));
    if (auto* experiment = std::get_if<Experiment>(&entry)) experiment->result.clear();
    EXPECT_THAT(parse_index_row(written), is(row(entry))) << written;
  }
}

TEST(IndexRow, OfEveryKindWithNothingSetIsReadBack) {
  for (const Entry& entry : empty_entries()) {
    EXPECT_THAT(parse_index_row(text(row(entry))), is(row(entry)));
  }
}

TEST(IndexRow, OfALineThatIsLeftOutIsReadBack) {
  EXPECT_THAT(parse_index_row(text(row(std::nullopt))), is(row(std::nullopt)));
}

TEST(IndexRow, IsOneLineWhateverTheTextsHold) {
  const std::string written = text_of(row(full_experiment()));
  EXPECT_EQ(written.find('\n'), written.size() - 1);
}

TEST(IndexRow, CutAnywhereIsRecognised) {
  for (const Entry& entry : full_entries()) {
    const std::string written = text(row(entry));
    for (std::size_t length = 0; length < written.size(); ++length) {
      EXPECT_EQ(parse_index_row(written.substr(0, length)), std::nullopt) << length;
    }
  }
}

TEST(IndexRow, WithAnyByteChangedIsRecognised) {
  const std::string written = text(row(full_experiment()));
  for (std::size_t at = 0; at < written.size(); ++at) {
    std::string damaged = written;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_EQ(parse_index_row(damaged), std::nullopt) << at;
  }
}

TEST(IndexRow, ThatIsGarbageIsRecognised) {
  EXPECT_EQ(parse_index_row(""), std::nullopt);
  EXPECT_EQ(parse_index_row("\t"), std::nullopt);
  EXPECT_EQ(parse_index_row(std::string(100, '\0')), std::nullopt);
}

TEST(SameEntry, DoesNotDependOnTheMeasurement) {
  Experiment other = full_experiment();
  other.result.clear();
  EXPECT_TRUE(is_same_but_for_measurement(full_experiment(), other));
  other.number = 8;
  EXPECT_FALSE(is_same_but_for_measurement(full_experiment(), other));
  EXPECT_FALSE(is_same_but_for_measurement(full_experiment(), full_turn()));
}

TEST(SameEntry, MayHaveANumberThatIsNone) {
  Experiment odd = full_experiment();
  odd.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_same_but_for_measurement(odd, odd));
}

}  // namespace
}  // namespace autokernel::ledger
