#include "autokernel/ledger/time_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::ledger {
namespace {

using testing::DoubleNear;
using testing::Eq;
using testing::Optional;

Experiment experiment(const std::string& commit, const std::string& incumbent, double median_us,
                      double gain) {
  Experiment made;
  made.commit = commit;
  made.incumbent = incumbent;
  made.median_us = median_us;
  if (!incumbent.empty()) made.gain = Gain{.estimate = gain, .low = gain, .high = gain, .pairs = 1};
  return made;
}

TEST(TimeScale, BeginsWithTheMedianOfTheBaseline) {
  TimeScale scale;
  EXPECT_EQ(scale.add(experiment("a", "", 100, 0)), 100);
}

TEST(TimeScale, GoesOnByGainsWhateverTheMediansAre) {
  TimeScale scale;
  scale.add(experiment("a", "", 100, 0));
  EXPECT_THAT(scale.add(experiment("b", "a", 77, 0.2)), Optional(DoubleNear(80, 1e-9)));
  // The machine has become slower, and the kernel faster.
  EXPECT_THAT(scale.add(experiment("c", "b", 99, 0.5)), Optional(DoubleNear(40, 1e-9)));
}

TEST(TimeScale, ComparesARejectedOneWithItsIncumbent) {
  TimeScale scale;
  scale.add(experiment("a", "", 100, 0));
  scale.add(experiment("b", "a", 50, 0.5));
  EXPECT_THAT(scale.add(experiment("c", "b", 20, -0.1)), Optional(DoubleNear(55, 1e-9)));
  EXPECT_THAT(scale.incumbent_us(experiment("d", "b", 1, 0)), Optional(DoubleNear(50, 1e-9)));
}

TEST(TimeScale, KnowsNoTimeOfWhatWasComparedWithNothing) {
  TimeScale scale;
  scale.add(experiment("a", "", 100, 0));
  Experiment failed = experiment("b", "a", 0, 0);
  failed.gain.reset();
  EXPECT_THAT(scale.add(failed), Eq(std::nullopt));
  EXPECT_THAT(scale.add(experiment("c", "elsewhere", 10, 0.1)), Eq(std::nullopt));
}

}  // namespace
}  // namespace autokernel::ledger
