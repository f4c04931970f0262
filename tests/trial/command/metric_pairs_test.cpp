// What is concluded of runs in pairs, few or many.
#include "trial/command/metric_pairs.h"

#include <gmock/gmock.h>

#include <random>

namespace autokernel::trial {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr double kMinGain = 0.01;

[[nodiscard]] cases::Metric lower() { return {.name = "us", .unit = "us", .source = {}}; }
[[nodiscard]] cases::Metric higher() {
  return {.name = "rate", .unit = {}, .better = cases::Better::higher, .source = {}};
}

struct Simulated {
  double gain = 0;   // of the candidate's times
  double noise = 0;  // standard deviation of a run, relative
};
void run_pairs(MetricPairs& pairs, const Simulated& truth, int count, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, truth.noise);
  for (int i = 0; i < count; ++i) {
    pairs.add(100 * (1 - truth.gain) * std::exp(normal(random)), 100 * std::exp(normal(random)));
  }
}

TEST(MetricPairs, FindsALargeGainWithFewRuns) {
  const cases::Metric metric = lower();
  MetricPairs pairs(metric);
  std::mt19937_64 random(1);
  run_pairs(pairs, {.gain = 0.5, .noise = 0.003}, kFewestRuns, random);
  EXPECT_EQ(pairs.conclusion(kMinGain), Conclusion::faster);
}

TEST(MetricPairs, FindsNoGainWithTooFewRuns) {
  const cases::Metric metric = lower();
  MetricPairs pairs(metric);
  for (int i = 1; i < kFewestRuns; ++i) pairs.add(1, 2);
  EXPECT_EQ(pairs.conclusion(kMinGain), Conclusion::undecided);
}

TEST(MetricPairs, TakesMoreForBetterWhereItIs) {
  const cases::Metric metric = higher();
  MetricPairs pairs(metric);
  pairs.add(110, 100);
  pairs.add(110, 100);
  EXPECT_NEAR(pairs.figures().gain, 1 - 1 / 1.1, 1e-12);
  EXPECT_THAT(figures_text(metric, pairs.figures(), "x", 2), StartsWith("+10.00 % rate against x"));
  EXPECT_EQ(change_text(lower(), 0.1), "-10.00 %");
}

// A night of experiments that change nothing keeps none of them, whatever number of runs the budget
// allows.
TEST(MetricPairs, KeepsNothingThatIsNoGain) {
  for (const int most : {kFewestRuns, 6, 9, 10, 30}) {
    const cases::Metric metric = lower();
    std::mt19937_64 random(static_cast<std::uint64_t>(most));
    int kept = 0;
    constexpr int kNights = 5000;
    for (int i = 0; i < kNights; ++i) {
      MetricPairs pairs(metric);
      Conclusion conclusion = Conclusion::undecided;
      while (conclusion == Conclusion::undecided && pairs.count() < most) {
        run_pairs(pairs, {.gain = 0, .noise = 0.05}, 1, random);
        conclusion = pairs.look(kMinGain, most);
      }
      if (conclusion == Conclusion::undecided) conclusion = pairs.conclusion(kMinGain);
      if (conclusion == Conclusion::faster) ++kept;
    }
    EXPECT_LE(kept, 1) << most;  // one in 10^5 is expected
  }
}

TEST(MetricPairs, GivesUpEarlyOnWhatIsFarWorse) {
  const cases::Metric metric = lower();
  MetricPairs pairs(metric);
  std::mt19937_64 random(3);
  Conclusion conclusion = Conclusion::undecided;
  while (conclusion == Conclusion::undecided && pairs.count() < 40) {
    run_pairs(pairs, {.gain = -0.5, .noise = 0.02}, 1, random);
    conclusion = pairs.look(kMinGain, 40);
  }
  EXPECT_EQ(conclusion, Conclusion::not_faster);
  EXPECT_EQ(pairs.count(), kFewestRuns + 1);
}

TEST(MetricPairs, KnowsWhetherAGuardIsKept) {
  const cases::Metric metric = lower();
  MetricPairs pairs(metric);
  std::mt19937_64 random(5);
  run_pairs(pairs, {.gain = -0.10, .noise = 0.01}, 10, random);
  EXPECT_TRUE(pairs.is_surely_at_least(log_ratio_of(-0.2)));
  EXPECT_FALSE(pairs.is_surely_at_least(log_ratio_of(-0.1)));
  EXPECT_TRUE(pairs.is_surely_below(log_ratio_of(-0.05)));
  EXPECT_FALSE(pairs.is_surely_below(log_ratio_of(-0.1)));
}

}  // namespace
}  // namespace autokernel::trial
