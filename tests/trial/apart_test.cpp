#include "trial/apart.h"

#include <gtest/gtest.h>

namespace autokernel::trial {
namespace {

TEST(Apart, IsTheGainBetweenProcesses) {
  const Apart apart = compare_apart({{90, 90}, {90, 90}}, {{100, 100}, {100, 100}}, 0);
  EXPECT_NEAR(apart.gain, 0.1, 1e-9);
  EXPECT_NEAR(apart.uncertainty, 0, 1e-9);
}

TEST(Apart, IsAsUncertainAsProcessesOfOneKernelDiffer) {
  EXPECT_NEAR(compare_apart({{90}, {99}}, {{100}, {100}}, 0).uncertainty, 0.0953, 1e-3);
}

TEST(Apart, IsNeverMoreCertainThanTheDevice) {
  EXPECT_NEAR(compare_apart({{8}, {8}}, {{10}, {10}}, 0.2).uncertainty, 0.025, 1e-9);
}

TEST(Apart, BearsOutAGainOfWhichHalfIsThere) {
  EXPECT_TRUE(bears_out({.gain = 0.10, .uncertainty = 0.001}, 0.10, 0.005, false));
  EXPECT_TRUE(bears_out({.gain = 0.06, .uncertainty = 0.001}, 0.10, 0.005, false));
  EXPECT_FALSE(bears_out({.gain = 0.00, .uncertainty = 0.01}, 0.10, 0.005, false));
  EXPECT_FALSE(bears_out({.gain = -0.1, .uncertainty = 0.01}, 0.10, 0.005, false));
}

TEST(Apart, MustShowAllOfTheGainWhereTheOpponentWasDisturbed) {
  EXPECT_TRUE(bears_out({.gain = 0.02, .uncertainty = 0.001}, 0.10, 0.005, true));
  EXPECT_FALSE(bears_out({.gain = 0.02, .uncertainty = 0.02}, 0.10, 0.005, true));
}

}  // namespace
}  // namespace autokernel::trial
