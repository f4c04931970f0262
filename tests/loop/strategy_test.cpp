#include "loop/parallel/strategy.h"

#include <gmock/gmock.h>

#include <string>

namespace autokernel::loop {
namespace {

using testing::HasSubstr;

// A run whose best is experiment `number`.
[[nodiscard]] Status best_is(int number, double us) {
  Status status;
  status.best.number = number;
  status.best.commit = "commit " + std::to_string(number);
  status.best.description = "idea " + std::to_string(number);
  status.best.median_us = us;
  status.best.status = ledger::Status::keep;
  if (number > 0) status.best.gain.emplace().estimate = 1 - us / 100;
  status.baseline.median_us = 100;
  status.baseline.commit = "commit 0";
  status.experiments.push_back(status.best);
  return status;
}

[[nodiscard]] ledger::Experiment tried(int number) {
  ledger::Experiment experiment;
  experiment.number = number;
  experiment.commit = "commit " + std::to_string(number);
  experiment.description = "idea " + std::to_string(number);
  return experiment;
}

TEST(Strategy, ClimbersStartFromTheBest) {
  const auto climb = make_strategy(StrategyKind::climb, 2);
  const Status status = best_is(3, 50);
  climb->took(1, tried(4), 70);
  EXPECT_EQ(climb->base_of(0, status), "commit 3");
  EXPECT_EQ(climb->base_of(1, status), "commit 3");
  EXPECT_EQ(climb->guidance_of(1, status), "");
}

TEST(Strategy, AnIslandGoesOnFromItsOwnAndMovesAfterAWhile) {
  const auto islands = make_strategy(StrategyKind::islands, 2);
  Status status = best_is(0, 100);
  EXPECT_EQ(islands->base_of(0, status), "commit 0");
  EXPECT_EQ(islands->base_of(1, status), "commit 0");
  // The first finds the best; the second something slower, of its own.
  islands->took(0, tried(1), 50);
  status = best_is(1, 50);
  islands->took(1, tried(2), 80);
  EXPECT_EQ(islands->base_of(0, status), "commit 1");
  EXPECT_EQ(islands->base_of(1, status), "commit 2");
  EXPECT_THAT(islands->guidance_of(1, status), HasSubstr("experiment 2 (idea 2)"));
  EXPECT_EQ(islands->guidance_of(0, status), "");
  // What is slower than its own does not move it, nor does what failed.
  islands->took(1, tried(3), 90);
  islands->took(1, tried(4), std::nullopt);
  EXPECT_EQ(islands->base_of(1, status), "commit 2");
  for (int i = 5; i < 5 + kIslandStay; ++i) islands->took(1, tried(i), 95);
  EXPECT_EQ(islands->base_of(1, status), "commit 1");
}

TEST(Strategy, AFamilyWithoutAnAgentHoldsUpNoRound) {
  const auto tournament = make_strategy(StrategyKind::tournament, 3);
  Status status = best_is(0, 100);
  for (std::size_t agent = 0; agent < 3; ++agent)
    EXPECT_EQ(tournament->base_of(agent, status), "commit 0");
  tournament->lost(0);
  int number = 1;
  for (int round = 0; round < kRound; ++round) {
    tournament->took(1, tried(number++), 40 - round);
    tournament->took(2, tried(number++), 80 - round);
  }
  EXPECT_NE(tournament->guidance_of(1, status), "");
  EXPECT_EQ(tournament->base_of(2, status), tournament->base_of(1, status));
  // One family is left, and no round is to be made.
  EXPECT_EQ(tournament->guidance_of(1, status).find("family"), std::string::npos);
}

TEST(Strategy, ATournamentDissolvesTheFamilyThatIsBehind) {
  const auto tournament = make_strategy(StrategyKind::tournament, 3);
  Status status = best_is(0, 100);
  for (std::size_t agent = 0; agent < 3; ++agent)
    EXPECT_EQ(tournament->base_of(agent, status), "commit 0");
  EXPECT_THAT(tournament->guidance_of(0, status), HasSubstr("family 1 of 3"));
  int number = 1;
  for (int round = 0; round < kRound; ++round) {
    tournament->took(0, tried(number++), 60 - round);
    tournament->took(1, tried(number++), 40 - round);
    tournament->took(2, tried(number++), 80 - round);
  }
  status = best_is(number - 2, 40 - kRound + 1);
  static_cast<void>(tournament->base_of(0, status));
  // The third has joined the second.
  EXPECT_EQ(tournament->base_of(2, status), tournament->base_of(1, status));
  EXPECT_NE(tournament->base_of(0, status), tournament->base_of(1, status));
  EXPECT_THAT(tournament->guidance_of(2, status), HasSubstr("family 2 of 3"));
  for (int round = 0; round < kRound; ++round) {
    tournament->took(0, tried(number++), 55);
    tournament->took(1, tried(number++), 30);
  }
  static_cast<void>(tournament->base_of(0, status));
  EXPECT_EQ(tournament->base_of(0, status), tournament->base_of(1, status));
}

}  // namespace
}  // namespace autokernel::loop
