// An append that a kill, a full disk or a loss of power has cut short, and of which a journal
// knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "autokernel/ledger/ledger.h"
#include "ledger/full_disk.h"
#include "ledger/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using test::contents;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::Throws;

auto fails_with(Stop stop, const std::string& text) {
  return Throws<Error>(
      AllOf(Property(&Error::stop, stop), Property(&Error::what, HasSubstr(text))));
}

// A ledger of five experiments, to which something is being added.
class AppendUnderWay : public testing::Test {
 protected:
  AppendUnderWay() {
    Ledger::open(scratch_.path()).append(lines_of(experiments(0, 4)));
    ledger_ = contents(file());
    index_ = contents(scratch_.path() / "ledger.index");
  }
  [[nodiscard]] std::filesystem::path file() const { return scratch_.path() / "ledger.jsonl"; }
  void write(const std::string& ledger) const { scratch_.write("ledger.jsonl", ledger); }

  test::ScratchFolder scratch_;
  std::string ledger_;
  std::string index_;
};

TEST_F(AppendUnderWay, IsFinishedWhateverPartWasWritten) {
  const Append append{.at = ledger_.size(), .text = lines_of({experiment(5), Turn{}})};
  for (std::size_t written = 0; written <= append.text.size(); ++written) {
    const test::ScratchFolder scratch;
    scratch.write("ledger.jsonl", ledger_ + append.text.substr(0, written));
    scratch.write("ledger.index", index_);
    const Ledger opened = Ledger::open(scratch.path(), append);
    ASSERT_THAT(opened.notes(), IsEmpty()) << written;
    ASSERT_EQ(opened.rows().size(), 7) << written;
    ASSERT_EQ(contents(scratch.path() / "ledger.jsonl"), ledger_ + append.text) << written;
    ASSERT_THAT(numbers_in(opened.rows()), ElementsAre(0, 1, 2, 3, 4, 5)) << written;
  }
}

TEST_F(AppendUnderWay, IsFinishedWhereTheDiskHasSomeOfItsPagesOnly) {
  const Append append{.at = ledger_.size(), .text = lines_of(experiments(5, 7))};
  std::string holes = append.text;
  holes.replace(0, 100, 100, '\0');
  holes.replace(200, 50, 50, '\0');
  write(ledger_ + holes);
  EXPECT_THAT(Ledger::open(scratch_.path(), append).notes(), IsEmpty());
  EXPECT_EQ(contents(file()), ledger_ + append.text);
}

TEST_F(AppendUnderWay, IsNotRepeatedWhereOthersHaveFollowedIt) {
  Ledger ledger = Ledger::open(scratch_.path());
  const Append append{.at = ledger.end(), .text = lines_of(experiments(5, 5))};
  ledger.append(append.text);
  ledger.append(lines_of(experiments(6, 6)));
  EXPECT_THAT(numbers_in(Ledger::open(scratch_.path(), append).rows()),
              ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST_F(AppendUnderWay, MakesALedgerWhereThereIsNone) {
  const test::ScratchFolder scratch;
  const Append append{.at = 0, .text = lines_of(experiments(0, 0))};
  EXPECT_THAT(numbers_in(Ledger::open(scratch.path() / "new", append).rows()), ElementsAre(0));
}

TEST_F(AppendUnderWay, IsRefusedWhereSomethingElseStandsInItsPlace) {
  const Append append{.at = ledger_.size(), .text = lines_of(experiments(5, 5))};
  write(ledger_ + lines_of(experiments(6, 6)));
  EXPECT_THAT([&] { (void)Ledger::open(scratch_.path(), append); },
              fails_with(Stop::repository, "something else is there"));
}

TEST_F(AppendUnderWay, IsRefusedWhereTheLedgerHasBecomeShorter) {
  const Append append{.at = ledger_.size(), .text = lines_of(experiments(5, 5))};
  write(ledger_.substr(0, ledger_.size() / 2));
  EXPECT_THAT([&] { (void)Ledger::open(scratch_.path(), append); },
              fails_with(Stop::repository, "put the file back"));
}

TEST_F(AppendUnderWay, IsTriedAgainAfterAFullDisk) {
  const Append append{.at = ledger_.size(), .text = lines_of(experiments(5, 5))};
  write(ledger_ + append.text.substr(0, 10));
  {
    const test::FullDisk full(ledger_.size() + 20);
    EXPECT_THAT([&] { (void)Ledger::open(scratch_.path(), append); },
                fails_with(Stop::environment, "cannot write"));
  }
  EXPECT_THAT(numbers_in(Ledger::open(scratch_.path(), append).rows()),
              ElementsAre(0, 1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace autokernel::ledger
