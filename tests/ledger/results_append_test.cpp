// results.tsv is everybody's: rows are added to it whatever others, or a kill, have made of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "autokernel/base/error.h"
#include "autokernel/ledger/results_table.h"
#include "ledger/full_disk.h"
#include "ledger/sample.h"
#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using test::contents;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::Throws;

std::string with_crlf(const std::string& text) {
  return std::regex_replace(text, std::regex("\n"), "\r\n");
}

class AppendToResults : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return scratch_.path() / "results.tsv"; }
  void write(const std::string& text) const { scratch_.write("results.tsv", text); }
  [[nodiscard]] Append plan(const std::vector<int>& numbers) const {
    std::vector<ResultsRow> rows;
    rows.reserve(numbers.size());
    for (const int number : numbers) rows.push_back(results_row(experiment(number)));
    return results_append(file(), rows);
  }
  static std::string row(int number) { return results_line(results_row(experiment(number))); }

  // Whatever the file was made to be by then, finishing is done once however often it is called.
  [[nodiscard]] std::string finished(const Append& append) const {
    finish_append(file(), append);
    const std::string once = contents(file());
    finish_append(file(), append);
    EXPECT_EQ(contents(file()), once);
    return once;
  }

  // Kills the program at every byte of what it writes to get from `before` to the end.
  void expect_finished_from_every_byte(const std::string& before, const Append& append,
                                       const std::string& after) const {
    ASSERT_TRUE(after.starts_with(before));
    for (std::size_t length = before.size(); length <= after.size(); ++length) {
      write(after.substr(0, length));
      ASSERT_EQ(finished(append), after) << length;
    }
  }

  const std::string header_ = results_header();
  test::ScratchFolder scratch_;
};

TEST_F(AppendToResults, MakesAMissingFileWithItsHeader) {
  const Append append = plan({1, 2});
  EXPECT_EQ(append.at, 0);
  EXPECT_EQ(finished(append), header_ + row(1) + row(2));
}

TEST_F(AppendToResults, GivesAnEmptyFileItsHeader) {
  write("");
  EXPECT_EQ(finished(plan({1})), header_ + row(1));
}

TEST_F(AppendToResults, OfNoRowsMakesTheHeaderAlone) { EXPECT_EQ(finished(plan({})), header_); }

TEST_F(AppendToResults, OfNoRowsChangesNothingInATable) {
  write(header_ + row(1));
  EXPECT_EQ(finished(plan({})), header_ + row(1));
}

TEST_F(AppendToResults, AddsRowsBehindTheOthers) {
  write(header_ + row(1));
  EXPECT_EQ(finished(plan({2, 3})), header_ + row(1) + row(2) + row(3));
}

TEST_F(AppendToResults, EndsALineThatHasNoEnd) {
  write(header_ + "a\t1\t1\tkeep\tno newline");
  EXPECT_EQ(finished(plan({2})), header_ + "a\t1\t1\tkeep\tno newline\n" + row(2));
}

TEST_F(AppendToResults, UsesTheLineEndingOfTheFile) {
  write(with_crlf(header_ + row(1)));
  EXPECT_EQ(finished(plan({2, 3})), with_crlf(header_ + row(1) + row(2) + row(3)));
}

TEST_F(AppendToResults, IsFinishedWhateverPartWasWritten) {
  write(header_ + row(1));
  expect_finished_from_every_byte(header_ + row(1), plan({2, 3}),
                                  header_ + row(1) + row(2) + row(3));
}

TEST_F(AppendToResults, IsFinishedWhateverPartWasWrittenOfANewFile) {
  expect_finished_from_every_byte("", plan({1}), header_ + row(1));
}

TEST_F(AppendToResults, IsFinishedWhateverPartWasWrittenOfAFileWithCarriageReturns) {
  const std::string before = with_crlf(header_ + row(1));
  write(before);
  expect_finished_from_every_byte(before, plan({2}), before + with_crlf(row(2)));
}

TEST_F(AppendToResults, IsFinishedWhateverPartWasWrittenBehindALineWithoutEnd) {
  const std::string before = header_ + "a\t1\t1\tkeep\topen";
  write(before);
  expect_finished_from_every_byte(before, plan({2}), before + "\n" + row(2));
}

TEST_F(AppendToResults, IsFinishedWhereTheDiskHasZerosInItsPlace) {
  write(header_ + row(1));
  const Append append = plan({2});
  write(header_ + row(1) + row(2).substr(0, 5) + std::string(7, '\0'));
  EXPECT_EQ(finished(append), header_ + row(1) + row(2));
}

TEST_F(AppendToResults, GoesBehindRowsThatOthersHaveAddedMeanwhile) {
  write(header_ + row(1));
  const Append append = plan({2, 3});
  const std::string before = header_ + row(1) + row(7);
  write(before);
  expect_finished_from_every_byte(before, append, before + row(2) + row(3));
}

TEST_F(AppendToResults, GoesBehindARowWithoutEndThatOthersHaveAddedMeanwhile) {
  write(header_ + row(1));
  const Append append = plan({2});
  const std::string before = header_ + row(1) + "a\t1\t1\tkeep\topen";
  write(before);
  expect_finished_from_every_byte(before, append, before + "\n" + row(2));
}

TEST_F(AppendToResults, IsNotRepeatedWhereRowsOfOthersStandAroundIt) {
  write(header_ + row(1));
  const Append append = plan({2, 3});
  write(header_ + row(1) + row(7) + row(2) + row(3) + row(8));
  EXPECT_EQ(finished(append), header_ + row(1) + row(7) + row(2) + row(3) + row(8));
}

TEST_F(AppendToResults, MakesAFileThatWasRemovedMeanwhileWithItsHeader) {
  write(header_ + row(1));
  const Append append = plan({2});
  std::filesystem::remove(file());
  EXPECT_EQ(finished(append), header_ + row(2));
  expect_finished_from_every_byte("", append, header_ + row(2));
}

TEST_F(AppendToResults, GivesAFileThatWasEmptiedMeanwhileItsHeader) {
  write(header_ + row(1));
  const Append append = plan({2});
  write("");
  EXPECT_EQ(finished(append), header_ + row(2));
}

TEST_F(AppendToResults, GoesBehindTheRowsOfAFileThatWasReplacedByAShorterOne) {
  write(header_ + row(1) + row(2));
  const Append append = plan({3});
  const std::string before = header_ + row(1);
  expect_finished_from_every_byte(before, append, before + row(3));
}

TEST_F(AppendToResults, GoesBehindTheRowsOfAFileThatWasReplacedByALongerOne) {
  write(header_);
  const Append append = plan({3});
  const std::string before = header_ + row(1) + row(2) + row(4);
  expect_finished_from_every_byte(before, append, before + row(3));
}

TEST_F(AppendToResults, GoesBehindTheRowsOfAFileThatSomebodyElseMadeMeanwhile) {
  const Append append = plan({3});
  const std::string before = header_ + row(1);
  expect_finished_from_every_byte(before, append, before + row(3));
}

TEST_F(AppendToResults, IsNotRepeatedInAFileThatWasReplacedByOneThatHasIt) {
  write(header_ + row(1) + row(2));
  const Append append = plan({3});
  for (const std::string& replaced :
       {header_ + row(3), header_ + row(3) + row(1) + row(2) + row(4) + row(5),
        with_crlf(header_ + row(1) + row(3))}) {
    write(replaced);
    EXPECT_EQ(finished(append), replaced);
  }
}

TEST_F(AppendToResults, TakesTheLineEndingOfAFileThatWasReplaced) {
  write(header_ + row(1) + row(2));
  const Append append = plan({3});
  const std::string before = with_crlf(header_ + row(1));
  expect_finished_from_every_byte(before, append, before + with_crlf(row(3)));
}

TEST_F(AppendToResults, DoesNotJoinTheOpenLineOfAFileOfTheSameLength) {
  write(header_ + row(1));
  const Append append = plan({2});
  std::string replaced = header_ + row(1);
  replaced.back() = '!';
  write(replaced);
  EXPECT_EQ(finished(append), replaced + "\n" + row(2));
}

TEST_F(AppendToResults, OnAFullDiskLeavesTheFileAsItWas) {
  write(header_ + row(1));
  const Append append = plan({2});
  {
    const test::FullDisk full(header_.size() + row(1).size() + 5);
    EXPECT_THAT([&] { finish_append(file(), append); },
                Throws<Error>(AllOf(Property(&Error::stop, Stop::environment),
                                    Property(&Error::what, HasSubstr("results.tsv")))));
  }
  EXPECT_EQ(contents(file()), header_ + row(1));
  EXPECT_EQ(finished(append), header_ + row(1) + row(2));
}

TEST_F(AppendToResults, OnAFullDiskLeavesNoFileWhereThereWasNone) {
  const Append append = plan({2});
  {
    const test::FullDisk full(5);
    EXPECT_THAT([&] { finish_append(file(), append); }, Throws<Error>());
  }
  EXPECT_THAT(test::files_below(scratch_.path()), IsEmpty());
}

TEST_F(AppendToResults, ToAFolderIsAnError) {
  std::filesystem::create_directory(file());
  EXPECT_THAT([&] { (void)plan({1}); }, Throws<Error>(Property(&Error::stop, Stop::environment)));
}

}  // namespace
}  // namespace autokernel::ledger
