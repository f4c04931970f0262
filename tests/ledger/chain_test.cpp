// A ledger that somebody has edited: every act on any of its lines is found, but for one on the
// last, which no other line knows of.
#include "ledger/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "autokernel/base/error.h"
#include "autokernel/base/sha256.h"
#include "autokernel/ledger/ledger.h"
#include "ledger/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using test::contents;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Lines = std::vector<std::string>;

constexpr int kExperiments = 5;

std::string joined(const Lines& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

class Chain : public testing::Test {
 protected:
  Chain() {
    Ledger ledger = open();
    ledger.append(ledger.chained({full_run_started()}).text);
    for (int number = 0; number < kExperiments; ++number) {
      ledger.append(ledger.chained({experiment(number)}).text);
    }
    std::istringstream text(contents(file()));
    for (std::string line; std::getline(text, line);) lines_.push_back(line + "\n");
  }

  [[nodiscard]] std::filesystem::path file() const { return scratch_.path() / "ledger.jsonl"; }
  [[nodiscard]] Ledger open() const { return Ledger::open(scratch_.path()); }
  // What is found in a ledger of this text.
  [[nodiscard]] static Inspection found_in(const std::string& text) {
    const test::ScratchFolder scratch;
    scratch.write("ledger.jsonl", text);
    return Ledger::open(scratch.path()).inspect();
  }
  [[nodiscard]] static Lines faults_in(const std::string& text) { return found_in(text).faults; }

  test::ScratchFolder scratch_;
  Lines lines_;  // the run's start, and the experiments
};

TEST_F(Chain, HoldsInEachLineTheHashOfTheOneBefore) {
  ASSERT_THAT(lines_, SizeIs(1 + kExperiments));
  EXPECT_TRUE(nlohmann::json::parse(lines_[0]).at("previous").is_null());
  for (std::size_t i = 1; i < lines_.size(); ++i) {
    EXPECT_EQ(nlohmann::json::parse(lines_[i]).at("previous"), sha256(lines_[i - 1]));
  }
}

TEST_F(Chain, IsTheSameWhetherEntriesAreAddedTogetherOrOneByOne) {
  const test::ScratchFolder scratch;
  std::vector<Entry> entries = experiments(0, kExperiments - 1);
  entries.insert(entries.begin(), full_run_started());
  EXPECT_EQ(Ledger::open(scratch.path()).chained(entries).text, joined(lines_));
}

TEST_F(Chain, OfALedgerThatNobodyTouchedIsSound) {
  const Inspection found = open().inspect();
  EXPECT_THAT(found.faults, IsEmpty());
  EXPECT_EQ(found.unchained, 0);
  EXPECT_EQ(numbers_in(found.rows), numbers_in(open().rows()));
}

TEST_F(Chain, ShowsAnEditOfAnyByteOfAnyLineButTheLast) {
  const std::string text = joined(lines_);
  // But for the end of the last one but one, without which both are a damaged end, and set aside.
  for (std::size_t i = 0; i + 1 < text.size() - lines_.back().size(); ++i) {
    std::string edited = text;
    edited[i] = edited[i] == '7' ? '8' : '7';
    scratch_.write("ledger.jsonl", edited);
    std::filesystem::remove(scratch_.path() / "ledger.index");
    try {
      ASSERT_THAT(open().inspect().faults, Not(IsEmpty())) << i;
    } catch (const Error& error) {
      // A digit that makes it an entry of a later version.
      ASSERT_THAT(error.what(), HasSubstr("has schema_version 7")) << i;
    }
  }
}

TEST_F(Chain, NamesTheEntryThatWasEdited) {
  Lines edited = lines_;
  edited[3].replace(edited[3].find("98.0"), 4, "10.0");
  EXPECT_THAT(faults_in(joined(edited)),
              ElementsAre(HasSubstr("line 4 (experiment 2 of demo) was edited")));
}

TEST_F(Chain, ShowsAnyLineThatWasRemovedButTheLast) {
  for (std::size_t i = 0; i + 1 < lines_.size(); ++i) {
    Lines fewer = lines_;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    ASSERT_THAT(faults_in(joined(fewer)), Contains(HasSubstr(i == 0 ? "missing" : "removed"))) << i;
  }
}

TEST_F(Chain, ShowsAnyTwoLinesThatChangedPlaces) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (std::size_t j = i + 1; j < lines_.size(); ++j) {
      Lines moved = lines_;
      std::swap(moved[i], moved[j]);
      ASSERT_THAT(faults_in(joined(moved)), Not(IsEmpty())) << i << " and " << j;
    }
  }
}

TEST_F(Chain, ShowsALineThatWasAddedAnywhere) {
  const std::string forged = lines_of({experiment(99)});
  for (std::size_t i = 1; i <= lines_.size(); ++i) {
    Lines more = lines_;
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), forged);
    ASSERT_THAT(faults_in(joined(more)),
                Contains(HasSubstr("line " + std::to_string(i + 1) + " does not hold the hash")))
        << i;
  }
}

TEST_F(Chain, ShowsAForgedLineThatHoldsTheRightHash) {
  Lines more = lines_;
  more.insert(more.begin() + 3, with_link(lines_of({experiment(99)}), link_to(lines_[2])));
  EXPECT_THAT(faults_in(joined(more)),
              ElementsAre(HasSubstr("line 5 was written after line 3, but follows line 4 "
                                    "(experiment 99 of demo): lines were added or moved")));
}

TEST_F(Chain, ShowsAHashThatWasTakenOut) {
  Lines edited = lines_;
  edited[2] = lines_of({experiment(1)});
  EXPECT_THAT(faults_in(joined(edited)), Contains(HasSubstr("line 3 does not hold the hash")));
}

// The seal of the run, which the loop keeps in git, is for that.
TEST_F(Chain, ShowsNothingOfAnEditOfTheLastLineButItsHashDoes) {
  const std::string hash =
      open().hash_at(open().end() - lines_.back().size(), lines_.back().size());
  EXPECT_EQ(hash, link_to(lines_.back()));
  Lines edited = lines_;
  edited.back().replace(edited.back().find("idea 4"), 6, "idea 9");
  EXPECT_THAT(faults_in(joined(edited)), IsEmpty());
  scratch_.write("ledger.jsonl", joined(edited));
  EXPECT_NE(open().hash_at(open().end() - lines_.back().size(), lines_.back().size()), hash);
  EXPECT_EQ(open().hash_at(open().end() - 1, 2), "");
}

TEST_F(Chain, OfALedgerThatWasCutIsSoundAsFarAsItGoes) {
  const std::string text = joined(lines_);
  // Recovery is tested at every byte; each of these waits for the disk.
  constexpr std::size_t kStride = 29;
  for (std::size_t cut = 0; cut < text.size(); cut += kStride) {
    ASSERT_THAT(faults_in(text.substr(0, cut)), IsEmpty()) << cut;
  }
}

TEST_F(Chain, BeginsBehindTheLinesOfAnEarlierVersion) {
  const test::ScratchFolder scratch;
  Ledger ledger = Ledger::open(scratch.path());
  ledger.append(lines_of(experiments(0, 2)));
  ledger.append(ledger.chained(experiments(3, 4)).text);
  const Inspection found = ledger.inspect();
  EXPECT_THAT(found.faults, IsEmpty());
  EXPECT_EQ(found.unchained, 3);
  EXPECT_THAT(numbers_in(found.rows), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(Chain, IsNamedAsBrokenTwentyTimesAtMost) {
  Lines reversed;
  for (int i = 0; i < 30; ++i)
    reversed.push_back(with_link(lines_of({experiment(i)}), std::string(64, 'a')));
  EXPECT_THAT(faults_in(joined(reversed)), SizeIs(21));
}

TEST_F(Chain, IsNotMadeOfWhatIsNoEntry) {
  EXPECT_THROW(static_cast<void>(with_link("text\n", "")), Error);
}

}  // namespace
}  // namespace autokernel::ledger
