#include "trial/decide/slow_minority.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace autokernel::trial {
namespace {

// Pairs of a kernel that is faster by that logarithm, with a hundredth of noise.
std::vector<double> faster_by(double mean, int pairs) {
  std::mt19937_64 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  std::normal_distribution<double> noise(mean, 0.01);
  std::vector<double> ratios(static_cast<std::size_t>(pairs));
  for (double& ratio : ratios) ratio = noise(random);
  return ratios;
}
// The candidate takes so many times as long in so many of the pairs; below 0: the incumbent does.
void slow_down(std::vector<double>& ratios, int pairs, double factor) {
  const double by = pairs < 0 ? std::log(factor) : -std::log(factor);
  const auto step = ratios.size() / static_cast<std::size_t>(std::abs(pairs));
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::abs(pairs)); ++i) {
    ratios[i * step] += by;
  }
}
Conclusion concluded(const std::vector<double>& ratios, Looking looking) {
  return conclude_guarded(ratios, estimate(ratios), 0.005, looking);
}

TEST(SlowMinority, IsNoneWhereAllPairsAreAlike) {
  EXPECT_EQ(concluded(faster_by(0.2, kFirstLook), Looking::on), Conclusion::faster);
}

TEST(SlowMinority, IsLookedForInMorePairsWhereTheMostDifferentAreAllSlowLaunchesOfTheCandidate) {
  std::vector<double> ratios = faster_by(0.2, kFirstLook);
  slow_down(ratios, 3, 2);
  EXPECT_EQ(conclude(estimate(ratios), 0.005), Conclusion::faster);
  EXPECT_GT(slow_minority(ratios, estimate(ratios).mean).plain_mean, 0.1) << "half the gain";
  EXPECT_EQ(concluded(ratios, Looking::on), Conclusion::undecided);
  EXPECT_EQ(concluded(ratios, Looking::last), Conclusion::faster) << "there is no time for more";
}

TEST(SlowMinority, ThatEatsUpTheGainLeavesItOpen) {
  std::vector<double> ratios = faster_by(0.2, 100);
  slow_down(ratios, 2, 50);
  EXPECT_EQ(concluded(ratios, Looking::on), Conclusion::undecided);
  EXPECT_EQ(concluded(ratios, Looking::last), Conclusion::undecided);
}

TEST(SlowMinority, OfBothKernelsIsTheMachines) {
  std::vector<double> ratios = faster_by(0.2, 100);
  slow_down(ratios, 2, 50);
  std::vector<double> other = faster_by(0.2, 100);
  slow_down(other, -2, 50);
  ratios.insert(ratios.end(), other.begin(), other.end());
  EXPECT_EQ(concluded(ratios, Looking::on), Conclusion::faster);
}

TEST(SlowMinority, OfManyLaunchesIsNoGain) {
  std::vector<double> ratios = faster_by(0.2, 400);
  slow_down(ratios, 20, 13);
  EXPECT_EQ(concluded(ratios, Looking::on), Conclusion::not_faster);
}

TEST(SlowMinority, ThatIsSlowerThanTheIncumbentsSlowestCountsWhateverTheMeanIs) {
  std::vector<double> ratios = faster_by(0.2, 400);
  slow_down(ratios, 30, 1.6);
  EXPECT_GT(slow_minority(ratios, 0.2).plain_mean, 0.15);
  EXPECT_EQ(concluded(ratios, Looking::on), Conclusion::not_faster);
}

TEST(SlowMinority, IsNotAsFastWhereItPaysForIt) {
  std::vector<double> ratios = faster_by(0.003, 400);
  EXPECT_TRUE(is_as_fast_guarded(ratios, estimate(ratios), 0.005));
  slow_down(ratios, 8, 40);
  EXPECT_TRUE(is_as_fast(estimate(ratios), 0.005)) << "the trimmed mean sees none of it";
  EXPECT_FALSE(is_as_fast_guarded(ratios, estimate(ratios), 0.005));
}

TEST(SlowMinority, SaysNothingWhereThereIsNoGain) {
  EXPECT_EQ(concluded(faster_by(0, 400), Looking::on), Conclusion::not_faster);
}

TEST(SlowMinority, PlainMeanIsThatOfTheTimes) {
  // 80 us against 100 us, and once in ten 880 us.
  std::vector<double> ratios(100, std::log(100.0 / 80));
  for (std::size_t i = 0; i < 10; ++i) ratios[i * 10] = std::log(100.0 / 880);
  EXPECT_NEAR(slow_minority(ratios, std::log(100.0 / 80)).plain_mean, std::log(100.0 / 160), 1e-9);
}

}  // namespace
}  // namespace autokernel::trial
