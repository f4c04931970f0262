#include "trial/decide/confirmation_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "autokernel/trial/decision.h"

namespace autokernel::trial {
namespace {

TEST(SeparateGain, IsTheGainBetweenProcesses) {
  const SeparateGain separate =
      compare_separate_processes({{90, 90}, {90, 90}}, {{100, 100}, {100, 100}}, {});
  EXPECT_NEAR(separate.gain, 0.1, 1e-9);
  EXPECT_NEAR(separate.least_gain, 0.1, 1e-9);
  EXPECT_NEAR(separate.uncertainty, 0, 1e-9);
}

TEST(SeparateGain, HasTheGainOfTheSlowestProcess) {
  const SeparateGain separate = compare_separate_processes({{50}, {50}, {200}}, {{100}, {100}}, {});
  EXPECT_NEAR(separate.least_gain, -1, 1e-9);
  EXPECT_GT(separate.gain, separate.least_gain);
}

TEST(SeparateGain, IsAsUncertainAsProcessesOfTheIncumbentDiffer) {
  const ProcessSpread spread{.relative = 0.05};
  EXPECT_NEAR(compare_separate_processes({{90}, {90}}, {{100}, {108}}, spread).uncertainty, 0.077,
              1e-3);
}

TEST(SeparateGain, IsNoMoreUncertainForAnIncumbentThatIsErratic) {
  const ProcessSpread spread{.relative = 0.05};
  EXPECT_NEAR(compare_separate_processes({{90}, {90}}, {{100}, {200}}, spread).uncertainty, 0.1,
              1e-9);
  // Both slow in half of their processes, and the candidate more so.
  const SeparateGain separate =
      compare_separate_processes({{100}, {100}, {300}}, {{100}, {200}}, spread);
  EXPECT_FALSE(confirms_gain(separate, 0.5, 0.02, false));
}

TEST(SeparateGain, OfAKernelThatIsAsFastMustLeaveThatPossible) {
  EXPECT_TRUE(confirms_as_fast({0.001, -0.004, 0.001, 0}, 0.005));
  EXPECT_FALSE(confirms_as_fast({-0.02, 0, 0.001, 0}, 0.005)) << "in the mean";
  EXPECT_FALSE(confirms_as_fast({0, -0.02, 0.001, 0}, 0.005)) << "in one process";
  EXPECT_FALSE(confirms_as_fast({0, 0, 0.001, -0.02}, 0.005)) << "with its slow launches";
}

TEST(SeparateGain, IsNoMoreUncertainForACandidateWhoseProcessesDiffer) {
  EXPECT_NEAR(compare_separate_processes({{90}, {900}}, {{100}, {100}}, {}).uncertainty, 0, 1e-9);
}

TEST(SeparateGain, IsNeverMoreCertainThanTheDevice) {
  EXPECT_NEAR(
      compare_separate_processes({{8}, {8}}, {{10}, {10}}, {.microseconds = 0.2}).uncertainty,
      0.025, 1e-9);
  EXPECT_NEAR(compare_separate_processes({{8}, {8}}, {{10}, {10}}, {.relative = 0.05}).uncertainty,
              0.05, 1e-9);
}

TEST(SeparateGain, IsAsUncertainAsTheLaunchesOfTheIncumbentAreNoisy) {
  const std::vector<double> noisy = {90, 110, 90, 110, 90, 110, 90, 110};
  EXPECT_NEAR(compare_separate_processes({{90}, {90}}, {noisy, noisy}, {}).uncertainty,
              2 * 0.107 / std::sqrt(8), 1e-3);
}

TEST(SeparateGain, ConfirmsAGainOfWhichHalfIsThere) {
  EXPECT_TRUE(confirms_gain({0.10, 0.10, 0.001, 0.10}, 0.10, 0.005, false));
  EXPECT_TRUE(confirms_gain({0.06, 0.06, 0.001, 0.06}, 0.10, 0.005, false));
  EXPECT_FALSE(confirms_gain({0.00, 0.00, 0.01, 0.00}, 0.10, 0.005, false));
  EXPECT_FALSE(confirms_gain({-0.1, -0.1, 0.01, -0.1}, 0.10, 0.005, false));
}

TEST(SeparateGain, DoesNotConfirmAGainThatOneProcessLacks) {
  EXPECT_TRUE(confirms_gain({0.10, 0.04, 0.01, 0.10}, 0.10, 0.005, false));
  EXPECT_FALSE(confirms_gain({0.10, 0.00, 0.01, 0.10}, 0.10, 0.005, false));
}

TEST(SeparateGain, DoesNotConfirmAGainThatASlowLaunchPaysFor) {
  std::vector<double> once_slow(30, 80);
  once_slow[7] = 4000;
  const std::vector<double> usual(30, 80);
  const std::vector<double> theirs(30, 100);
  const SeparateGain separate =
      compare_separate_processes({usual, once_slow, usual}, {theirs, theirs}, {.relative = 0.025});
  EXPECT_NEAR(separate.plain_gain, 1 - (80 + 3920.0 / 90) / 100, 1e-9);
  EXPECT_FALSE(confirms_gain(separate, 0.2, 0.02, false));
}

// However much the launches of both scatter.
TEST(SeparateGain, AClearGainMayNotTurnIntoALoss) {
  const std::vector<double> erratic = {80, 140, 100, 60, 170, 90, 150, 70};
  std::vector<double> ours = erratic;
  for (double& time_us : ours) time_us *= 1.02;
  const SeparateGain separate =
      compare_separate_processes({ours, ours, ours}, {erratic, erratic}, {.relative = 0.025});
  EXPECT_GT(2 * separate.uncertainty, 0.16 / 2);
  EXPECT_FALSE(confirms_gain(separate, 0.16, 0.02, false));
  EXPECT_TRUE(confirms_gain(separate, 0.05, 0.02, false));
}

TEST(SeparateGain, MustShowAllOfTheGainWhereTheIncumbentWasDisturbed) {
  EXPECT_TRUE(confirms_gain({0.02, 0.02, 0.001, 0.02}, 0.10, 0.005, true));
  EXPECT_FALSE(confirms_gain({0.02, 0.02, 0.02, 0.02}, 0.10, 0.005, true));
  EXPECT_FALSE(confirms_gain({0.02, 0.00, 0.001, 0.02}, 0.10, 0.005, true));
}

// Processes of a kernel of `time_us`, whose times scatter from process to process and within one.
class Machine {
 public:
  Machine(double offset, double scatter) : offset_(offset), scatter_(scatter) {}

  std::vector<std::vector<double>> processes(int count, int samples, double time_us,
                                             double slow_share = 0) {
    constexpr double kSlow = 1.7;
    std::vector<std::vector<double>> all(static_cast<std::size_t>(count));
    for (auto& times_us : all) {
      const double lucky = share_(random_) < slow_share ? kSlow : 1;
      const double moved = time_us * lucky * std::exp(offset_ * normal_(random_));
      for (int i = 0; i < samples; ++i) {
        times_us.push_back(moved * std::exp(scatter_ * normal_(random_)));
      }
    }
    return all;
  }

 private:
  std::mt19937_64 random_{11};  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> share_;
  double offset_;
  double scatter_;
};

// Of 2,000 that were found faster by `gain`.
double share_confirmed(Machine machine, const ProcessSpread& spread, double gain, double slow_share,
                       double min_gain) {
  constexpr int kTrials = 2000;
  constexpr double kTimeUs = 100;
  int confirmed = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto candidate = machine.processes(3, candidate_samples(spread.microseconds > 0),
                                             kTimeUs * (1 - gain), slow_share);
    const auto incumbent = machine.processes(2, kIncumbentSamples, kTimeUs);
    const SeparateGain separate = compare_separate_processes(candidate, incumbent, spread);
    confirmed += confirms_gain(separate, gain, min_gain, false) ? 1 : 0;
  }
  return static_cast<double>(confirmed) / kTrials;
}

constexpr ProcessSpread kOnAGpu{.microseconds = 0.2};
constexpr ProcessSpread kEmulated{.relative = 0.025};

TEST(SeparateGain, Confirms99Of100HonestKernelsThatAreFasterBy1point4TimesTheMinGain) {
  // By 0.1 us from process to process, on a GPU; and as the emulated device moves, quiet and busy.
  EXPECT_GE(share_confirmed({0.001, 0.01}, kOnAGpu, 0.007, 0, 0.005), 0.99);
  EXPECT_GE(share_confirmed({0.001, 0.05}, kOnAGpu, 0.007, 0, 0.005), 0.99);
  EXPECT_GE(share_confirmed({0.015, 0.03}, kEmulated, 0.028, 0, 0.02), 0.99);
  EXPECT_GE(share_confirmed({0.025, 0.15}, kEmulated, 0.028, 0, 0.02), 0.99);
}

TEST(SeparateGain, ConfirmsAKernelThatDependsOnLuckOnlyIfItIsLuckyInEachProcess) {
  EXPECT_NEAR(share_confirmed({0.001, 0.01}, kOnAGpu, 0.2, 0.5, 0.005), std::pow(0.5, 3), 0.03);
  EXPECT_NEAR(share_confirmed({0.015, 0.03}, kEmulated, 0.2, 0.5, 0.02), std::pow(0.5, 3), 0.03);
  EXPECT_NEAR(share_confirmed({0.015, 0.03}, kEmulated, 0.2, 0.25, 0.02), std::pow(0.75, 3), 0.03);
}

}  // namespace
}  // namespace autokernel::trial
