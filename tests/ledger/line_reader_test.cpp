#include "ledger/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LinesOfAFile : public testing::Test {
 protected:
  std::vector<std::string> lines(const std::string& text, std::uint64_t from = 0) {
    const File file = File::open_or_make(scratch_.write("file", text));
    LineReader reader(file, from, text.size());
    std::vector<std::string> lines;
    std::uint64_t end = from;
    while (const auto line = reader.next()) {
      EXPECT_EQ(line->offset, end);
      EXPECT_EQ(line->length, line->text.size());
      end = line->end();
      lines.emplace_back(line->text);
    }
    EXPECT_EQ(end, std::max<std::uint64_t>(from, text.size()));
    return lines;
  }
  test::ScratchFolder scratch_;
};

TEST_F(LinesOfAFile, HaveTheirNewlines) {
  EXPECT_THAT(lines("one\n\nthree\n"), ElementsAre("one\n", "\n", "three\n"));
}

TEST_F(LinesOfAFile, MayEndWithoutOne) {
  EXPECT_THAT(lines("one\ntwo"), ElementsAre("one\n", "two"));
}

TEST_F(LinesOfAFile, AreNoneInAnEmptyOne) { EXPECT_THAT(lines(""), IsEmpty()); }

TEST_F(LinesOfAFile, AreReadFromAPlaceOn) {
  EXPECT_THAT(lines("one\ntwo\n", 4), ElementsAre("two\n"));
  EXPECT_THAT(lines("one\ntwo\n", 8), IsEmpty());
}

TEST_F(LinesOfAFile, MayBeLongerThanWhatIsReadAtOnce) {
  const std::string first(3'000'000, 'a');
  const std::string second(1'048'576, 'b');
  EXPECT_THAT(lines(first + "\n" + second + "\nend"),
              ElementsAre(first + "\n", second + "\n", "end"));
}

TEST_F(LinesOfAFile, OfWhichOneIsTooLongAreReadWithoutIt) {
  constexpr std::uint64_t kLongest = 2'000'000;
  const std::string text = "one\n" + std::string(5'000'000, '\0') + "\nlast\n";
  const File file = File::open_or_make(scratch_.write("file", text));
  LineReader reader(file, 4, text.size(), kLongest);
  EXPECT_THAT(reader.next(), testing::Optional(testing::FieldsAre(4, 5'000'001, "")));
  EXPECT_THAT(reader.next(), testing::Optional(testing::FieldsAre(5'000'005, 5, "last\n")));
  EXPECT_FALSE(reader.next().has_value());
}

}  // namespace
}  // namespace autokernel::ledger
