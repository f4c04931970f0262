// Where a run stands, from its rows.
#include "autokernel/loop/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "loop/run_state.h"

namespace autokernel::loop {
namespace {

using ledger::Experiment;
using testing::AllOf;
using testing::DoubleNear;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

Experiment experiment(int number, ledger::Status status, double gain = 0) {
  Experiment one;
  one.tag = "demo";
  one.number = number;
  one.status = status;
  one.commit = std::string(39, 'a') + std::to_string(number);
  one.gain = ledger::Gain{.estimate = gain, .low = gain, .high = gain, .pairs = 50};
  if (number == 0) one.gain.reset();
  return one;
}

Status a_run(int discarded = 0) {
  Status status;
  status.run.tag = "demo";
  status.run.editable = "kernels/kernel.cu";
  add_to(status, experiment(0, ledger::Status::keep));
  for (int i = 1; i <= discarded; ++i) add_to(status, experiment(i, ledger::Status::discard));
  return status;
}

TEST(Status, CountsWhatBecameOfEachExperiment) {
  Status status = a_run();
  add_to(status, experiment(1, ledger::Status::keep, 0.2));
  add_to(status, experiment(2, ledger::Status::discard));
  add_to(status, experiment(3, ledger::Status::crash));
  add_to(status, experiment(4, ledger::Status::crash));
  EXPECT_EQ(status.counts.kept, 1);
  EXPECT_EQ(status.counts.discarded, 1);
  EXPECT_EQ(status.counts.failed, 2);
  EXPECT_EQ(status.counts.experiments(), 4);
}

TEST(Status, HasTheLastOneKeptForTheBest) {
  Status status = a_run();
  EXPECT_EQ(status.best.number, 0);
  add_to(status, experiment(1, ledger::Status::keep, 0.2));
  add_to(status, experiment(2, ledger::Status::discard));
  EXPECT_EQ(status.best.number, 1);
}

TEST(Status, CountsTheStreakFromTheLastOneKept) {
  Status status = a_run(3);
  EXPECT_EQ(status.streak, 3);
  add_to(status, experiment(4, ledger::Status::keep, 0.1));
  EXPECT_EQ(status.streak, 0);
  add_to(status, experiment(5, ledger::Status::crash));
  EXPECT_EQ(status.streak, 1);
}

TEST(Status, MultipliesTheGainsThatWereKept) {
  Status status = a_run();
  EXPECT_EQ(status.gain_over_baseline(), std::nullopt);
  add_to(status, experiment(1, ledger::Status::keep, 0.2));
  add_to(status, experiment(2, ledger::Status::discard, 0.9));
  add_to(status, experiment(3, ledger::Status::keep, 0.5));
  EXPECT_THAT(status.gain_over_baseline(), Optional(DoubleNear(0.6, 1e-12)));
}

TEST(Status, IsAPlateauAfterSixWithoutAGain) {
  EXPECT_FALSE(a_run(5).is_plateau());
  EXPECT_TRUE(a_run(6).is_plateau());
  EXPECT_THAT(a_run(6).next(), HasSubstr("change the structure"));
  EXPECT_THAT(a_run(5).next(), Not(HasSubstr("change the structure")));
}

TEST(Status, GoesOnWithoutABudget) {
  Status status = a_run(100);
  status.hours = 1000;
  EXPECT_EQ(status.why_stop(), "");
  EXPECT_FALSE(status.is_budget_used_up());
}

TEST(Status, StopsAfterSoManyExperiments) {
  Status status = a_run(3);
  status.run.budget.max_runs = 4;
  EXPECT_EQ(status.why_stop(), "");
  status.run.budget.max_runs = 3;
  EXPECT_EQ(status.why_stop(), "all 3 experiments were made");
  EXPECT_TRUE(status.is_budget_used_up());
  EXPECT_THAT(status.next(), HasSubstr("autokernel loop finish"));
}

TEST(Status, StopsAfterSoManyHours) {
  Status status = a_run();
  status.run.budget.hours = 1.5;
  status.hours = 1.4;
  EXPECT_EQ(status.why_stop(), "");
  status.hours = 1.5;
  EXPECT_EQ(status.why_stop(), "1.5 hours have passed");
  EXPECT_TRUE(status.is_budget_used_up());
}

TEST(Status, StopsWithoutProgressButLetsAStepThrough) {
  Status status = a_run(2);
  status.run.budget.no_progress = 2;
  EXPECT_EQ(status.why_stop(), "2 experiments in a row without a gain");
  EXPECT_FALSE(status.is_budget_used_up());
}

std::optional<Status> status_of(const std::vector<ledger::Entry>& entries,
                                const std::string& branch) {
  RunStateReader reader(branch, entries.size());
  for (ledger::Entry entry : entries) reader.take({}, std::move(entry));
  auto state = std::move(reader).state();
  if (!state) return std::nullopt;
  return std::move(state->status);
}

ledger::RunStarted run(const std::string& tag) {
  ledger::RunStarted started;
  started.tag = tag;
  started.branch = "autokernel/" + tag;
  return started;
}

TEST(RunState, IsOfTheBranchesRunAlone) {
  Experiment other = experiment(0, ledger::Status::keep);
  other.tag = "other";
  const auto status =
      status_of({run("other"), other, run("demo"), experiment(0, ledger::Status::keep),
                 experiment(1, ledger::Status::crash)},
                "autokernel/demo");
  EXPECT_THAT(status, Optional(testing::Field(&Status::experiments, testing::SizeIs(2))));
}

TEST(RunState, KnowsTheFirstAndTheLastLineOfTheRun) {
  Experiment other = experiment(0, ledger::Status::keep);
  other.tag = "other";
  RunStateReader reader("autokernel/demo", 5);
  reader.take({.offset = 0, .length = 10}, run("demo"));
  reader.take({.offset = 10, .length = 20}, experiment(0, ledger::Status::keep));
  reader.take({.offset = 30, .length = 40}, run("other"));
  reader.take({.offset = 70, .length = 50}, other);
  const auto state = std::move(reader).state().value_or(RunState{});
  EXPECT_EQ(state.first_line.end(), 10U);
  EXPECT_EQ(state.last_line.offset, 10U);
  EXPECT_EQ(state.last_line.end(), 30U);
}

TEST(RunState, BeginsAnewWithEachRunOnTheBranch) {
  const auto status = status_of(
      {run("demo"), experiment(0, ledger::Status::keep), experiment(1, ledger::Status::crash),
       run("demo"), experiment(0, ledger::Status::keep)},
      "autokernel/demo");
  EXPECT_THAT(status, Optional(testing::Field(&Status::experiments, testing::SizeIs(1))));
}

TEST(RunState, IsNoneOfABranchWithoutARun) { EXPECT_FALSE(status_of({run("demo")}, "main")); }

TEST(RunState, CountsTheTurnsSinceTheLastExperiment) {
  ledger::Turn turn;
  turn.tag = "demo";
  const auto status = status_of({run("demo"), experiment(0, ledger::Status::keep), turn,
                                 experiment(1, ledger::Status::crash), turn, turn},
                                "autokernel/demo");
  EXPECT_THAT(status, Optional(testing::Field(&Status::turns_in_vain, Eq(2))));
}

}  // namespace
}  // namespace autokernel::loop
