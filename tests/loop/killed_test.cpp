// A program that is killed with something half done, at each place where that can be: the next one
// finishes it or takes it back, and nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAreArray;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr int kKilled = 128 + SIGKILL;

const std::vector<std::string> kCarryingOut = {"decided",       "references made", "ledger written",
                                               "results aside", "results written", "branch set",
                                               "file set"};

std::vector<std::string> points_of_a_step() {
  std::vector<std::string> points = {"committed", "trying", "referenced", "measured"};
  points.insert(points.end(), kCarryingOut.begin(), kCarryingOut.end());
  return points;
}

// In a process of its own, which is killed when it reaches the point.
int killed_at(Workplace& workplace, const std::string& point, const std::function<void()>& work) {
  workplace.reached = [&](std::string_view name) {
    if (name == point) ::raise(SIGKILL);
  };
  const int code = in_a_process(work);
  workplace.reached = nullptr;
  return code;
}

std::vector<std::string> points_reached(Workplace& workplace, const std::function<void()>& work) {
  std::vector<std::string> points;
  workplace.reached = [&](std::string_view name) { points.emplace_back(name); };
  work();
  workplace.reached = nullptr;
  return points;
}

std::string as_a_name(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST(Points, OfAStepAreThoseWhereItIsKilledHere) {
  Workplace workplace;
  workplace.start();
  EXPECT_THAT(points_reached(workplace, [&] { workplace.try_out(kernel(80)); }),
              ElementsAreArray(points_of_a_step()));
}

TEST(Points, OfAStartAreThoseWhereItIsKilledHere) {
  Workplace workplace;
  EXPECT_THAT(points_reached(workplace, [&] { workplace.start(); }),
              ElementsAreArray(kCarryingOut));
}

class KilledStep : public testing::TestWithParam<std::string> {
 protected:
  void kill_step_with(const std::string& source) {
    workplace_.start();
    workplace_.try_out(kernel(90), {.idea = "the one before"});
    ASSERT_EQ(killed_at(workplace_, GetParam(),
                        [&] { workplace_.try_out(source, {.idea = "the one that is killed"}); }),
              kKilled);
    workplace_.repair();
  }
  // How far the step had come.
  [[nodiscard]] bool had_begun() const { return GetParam() != "committed"; }
  [[nodiscard]] bool had_a_verdict() const {
    return had_begun() && GetParam() != "trying" && GetParam() != "referenced" &&
           GetParam() != "measured";
  }
  // Of the last experiment.
  [[nodiscard]] std::string verdict() const {
    return workplace_.status().experiments.back().verdict;
  }
  void expect_one_more_row_once_it_had_begun() const {
    EXPECT_THAT(workplace_.status().experiments, SizeIs(had_begun() ? 3 : 2));
    EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
  }

  Workplace workplace_;
};

TEST_P(KilledStep, ThatWouldBeKeptIsKeptOrTakenBackWhole) {
  kill_step_with(kernel(70));
  expect_one_more_row_once_it_had_begun();
  EXPECT_EQ(verdict(), had_begun() && !had_a_verdict() ? "interrupted" : "kept");
  EXPECT_EQ(workplace_.edited(), had_begun() && !had_a_verdict() ? kernel(90) : kernel(70));
}

TEST_P(KilledStep, ThatIsNotFasterIsTakenBackWhole) {
  kill_step_with(kernel(120));
  expect_one_more_row_once_it_had_begun();
  EXPECT_EQ(workplace_.edited(), had_begun() ? kernel(90) : kernel(120));
}

TEST_P(KilledStep, ThatIsWrongIsTakenBackWhole) {
  kill_step_with(kernel(70, "WRONG"));
  expect_one_more_row_once_it_had_begun();
  EXPECT_EQ(workplace_.edited(), had_begun() ? kernel(90) : kernel(70, "WRONG"));
}

TEST_P(KilledStep, IsRepairedByTheNextCommand) {
  workplace_.start();
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.try_out(kernel(70)); }), kKilled);
  EXPECT_THAT(workplace_.status().experiments, SizeIs(had_begun() ? 2 : 1));
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

TEST_P(KilledStep, IsFollowedByTheNextStep) {
  kill_step_with(kernel(70));
  const Step next = workplace_.try_out(kernel(50), {.idea = "the next one"});
  EXPECT_EQ(next.experiment.number, had_begun() ? 3 : 2);
  EXPECT_EQ(next.experiment.verdict, "kept");
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

// An agent that is started again edits before anybody has repaired anything.
TEST_P(KilledStep, DoesNotCostAnEditThatWasMadeBeforeTheRepair) {
  workplace_.start();
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.try_out(kernel(70)); }), kKilled);
  workplace_.edit(kernel(33));
  workplace_.repair();
  const std::string kept = had_begun() ? ".autokernel/aside/1-kernel.cu" : Workplace::kEditable;
  EXPECT_EQ(workplace_.git().read(kept), kernel(33));
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

TEST_P(KilledStep, LeavesABranchThatSomebodyHasMovedWhereItIs) {
  workplace_.start();
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.try_out(kernel(70)); }), kKilled);
  workplace_.git().git("commit", "--quiet", "--allow-empty", "--message", "somebody's");
  const std::string theirs = workplace_.commit_of("HEAD");
  workplace_.repair();
  EXPECT_EQ(workplace_.commit_of("autokernel/demo"), theirs);
  EXPECT_THAT(workplace_.status().experiments, SizeIs(had_begun() ? 2 : 1));
  EXPECT_FALSE(workplace_.has(".autokernel/journal.json"));
}

TEST_P(KilledStep, LeavesTheFileOfAnotherBranchAsItIs) {
  workplace_.start();
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.try_out(kernel(70)); }), kKilled);
  workplace_.git().git("checkout", "--quiet", "--force", "main");
  workplace_.edit(kernel(44));
  workplace_.repair();
  EXPECT_EQ(workplace_.edited(), kernel(44));
  EXPECT_FALSE(workplace_.has(".autokernel/journal.json"));
}

INSTANTIATE_TEST_SUITE_P(At, KilledStep, testing::ValuesIn(points_of_a_step()),
                         [](const auto& point) { return as_a_name(point.param); });

class KilledStart : public testing::TestWithParam<std::string> {
 protected:
  Workplace workplace_;
};

TEST_P(KilledStart, IsFinished) {
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.start(); }), kKilled);
  workplace_.repair();
  EXPECT_THAT(workplace_.status().experiments, SizeIs(1));
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("the start of run demo was in progress")));
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

TEST_P(KilledStart, MovesTheRowsOfAnEarlierRunAsideOnce) {
  const std::string rows =
      "commit\tmedian_us\ttflops_s\tstatus\tdescription\nabcdef0\t9.000\t1.00\tkeep\tan old one\n";
  workplace_.git().write("results.tsv", rows);
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.start(); }), kKilled);
  workplace_.repair();
  EXPECT_EQ(workplace_.git().read(".autokernel/aside/results-1.tsv"), rows);
  EXPECT_FALSE(workplace_.has(".autokernel/aside/results-2.tsv"));
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

TEST_P(KilledStart, LeavesAHeadThatHasMovedWhereItIs) {
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.start(); }), kKilled);
  workplace_.git().git("checkout", "--quiet", "-b", "other");
  workplace_.git().git("commit", "--quiet", "--allow-empty", "--message", "somebody's");
  workplace_.repair();
  EXPECT_EQ(workplace_.git().line("symbolic-ref", "--short", "HEAD"), "other");
  EXPECT_TRUE(workplace_.git().try_git(workplace_.root(), {"rev-parse", "autokernel/demo"}).code ==
              0);
  EXPECT_FALSE(workplace_.has(".autokernel/journal.json"));
}

INSTANTIATE_TEST_SUITE_P(At, KilledStart, testing::ValuesIn(kCarryingOut),
                         [](const auto& point) { return as_a_name(point.param); });

// Killed a second time, while the first one's remains are repaired.
class KilledDuringRepair : public testing::TestWithParam<std::string> {
 protected:
  Workplace workplace_;
};

TEST_P(KilledDuringRepair, AnExperimentWithoutAVerdictIsStillRecordedOnce) {
  workplace_.start();
  ASSERT_EQ(killed_at(workplace_, "referenced", [&] { workplace_.try_out(kernel(70)); }), kKilled);
  ASSERT_EQ(killed_at(workplace_, GetParam(), [&] { workplace_.repair(); }), kKilled);
  workplace_.repair();
  EXPECT_THAT(workplace_.status().experiments, SizeIs(2));
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(At, KilledDuringRepair, testing::ValuesIn(kCarryingOut),
                         [](const auto& point) { return as_a_name(point.param); });

TEST(Killed, FinishLeavesNothingHalfDone) {
  Workplace workplace;
  workplace.make_a_run();
  ASSERT_EQ(killed_at(workplace, "references made",
                      [&] { static_cast<void>(workplace.open().finish(2)); }),
            kKilled);
  workplace.repair();
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_TRUE(std::holds_alternative<ledger::RunFinished>(workplace.open().history().back()));
}

TEST(Killed, WhatItWasWritingIsRemovedFromBesideTheFiles) {
  Workplace workplace;
  workplace.start();
  workplace.git().write("kernels/.kernel.cu.0123456789abcdef", "half a kernel");
  workplace.git().write(".results.tsv.0123456789abcdef", "half a table");
  workplace.git().write(".autokernel/.journal.json.0123456789abcdef", "half a journal");
  workplace.try_out(kernel(80));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Killed, WhatOnlyLooksLikeItStays) {
  Workplace workplace;
  workplace.git().write("kernels/.kernel.cu.0123456789abcde", "a digit too few");
  workplace.git().write("kernels/.kernel.cu.0123456789abcdeg", "no digit at the end");
  workplace.git().write("kernels/.other.cu.0123456789abcdef", "of another file");
  workplace.start();
  workplace.try_out(kernel(80));
  EXPECT_TRUE(workplace.has("kernels/.kernel.cu.0123456789abcde"));
  EXPECT_TRUE(workplace.has("kernels/.kernel.cu.0123456789abcdeg"));
  EXPECT_TRUE(workplace.has("kernels/.other.cu.0123456789abcdef"));
}

TEST(Killed, TheLocksOfGitThatItHeldAreRemoved) {
  Workplace workplace;
  workplace.start();
  ASSERT_EQ(killed_at(workplace, "results written", [&] { workplace.try_out(kernel(70)); }),
            kKilled);
  workplace.git().write(".git/index.lock", "");
  workplace.git().write(".git/refs/heads/autokernel/demo.lock", "");
  workplace.repair();
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_THAT(workplace.said(), Contains(HasSubstr("index.lock")));
}

}  // namespace
}  // namespace autokernel::loop
