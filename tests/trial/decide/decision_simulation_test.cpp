// The promises of docs/decision.md, kept in simulated trials: on recordings of real kernels and on
// stand-ins for them. autokernel_decision_figures prints the figures themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <ostream>
#include <stdexcept>
#include <string>

#include "autokernel/trial/decision.h"
#include "support/scratch_folder.h"
#include "trial/decide/noise_sources.h"
#include "trial/decide/simulated_trials.h"
#include "trial/decide/slow_minority.h"

namespace autokernel::trial {

// In a test's name.
void PrintTo(const Noise& noise, std::ostream* stream) { *stream << noise.name; }

namespace {

constexpr int kNoOps = 3000;
constexpr int kTrueGains = 1000;
constexpr double kTrueGain = 1.4;  // times the minimum gain

class Decision : public testing::TestWithParam<Noise> {};

TEST_P(Decision, KeepsNoneOf3000KernelsThatAreTheSame) {
  EXPECT_EQ(tally(GetParam(), 0, kNoOps).faster, 0);
}

// So many times the minimum gain that 2,000 pairs are enough for it (docs/decision.md), as the rule
// sees it: without the launches that were disturbed.
constexpr double kLoudest = 7.5;
bool is_too_loud(const Noise& noise) {
  const PairedEstimate found = estimate(noise.log_ratios);
  return found.standard_error * std::sqrt(found.pairs) > kLoudest * noise.min_gain;
}

TEST_P(Decision, Keeps95Of100KernelsThatAreFasterBy1point4TimesTheMinGain) {
  if (is_too_loud(GetParam())) {
    GTEST_SKIP() << "louder than is promised for: such experiments end as inconclusive";
  }
  const double gain = kTrueGain * GetParam().min_gain;
  EXPECT_GE(tally(GetParam(), gain, kTrueGains).share_faster(), 0.95);
}

TEST_P(Decision, KeepsNoKernelThatIsSlower) {
  const double gain = -kTrueGain * GetParam().min_gain;
  EXPECT_EQ(tally(GetParam(), gain, kTrueGains).faster, 0);
}

TEST_P(Decision, TellsThatAKernelIsTheSameWithinTheMostPairs) {
  if (is_too_loud(GetParam())) {
    GTEST_SKIP() << "louder than is promised for: such experiments end as inconclusive";
  }
  EXPECT_GE(tally(GetParam(), 0, kTrueGains).not_faster, 0.99 * kTrueGains);
}

TEST_P(Decision, NeedsFewPairsForAKernelThatTakesHalfTheTime) {
  const Tally half = tally(GetParam(), 0.5, kTrueGains);
  EXPECT_EQ(half.faster, kTrueGains);
  EXPECT_EQ(half.median_pairs, kFirstLook);
}

TEST_P(Decision, KeepsNoKernelThatIs13TimesSlowerInOneLaunchOfTwelve) {
  const Tally slow = tally_slow(GetParam(), 0.2, {.share = 1.0 / 12, .factor = 13}, kTrueGains);
  // Twice in 100 none of them is among the pairs of the first look.
  EXPECT_LE(slow.faster, kTrueGains / 25);
  EXPECT_EQ(slow.confirmed, 0);
}

TEST_P(Decision, HasTheTrueGainInItsInterval) {
  // Less often than in 95 of 100, since sampling ends where the noise happens to look small, and
  // where pairs are alike.
  const Tally same = tally(GetParam(), 0, kTrueGains);
  EXPECT_GE(same.within_interval, 0.9 * kTrueGains);
}

std::string name_of(const testing::TestParamInfo<Noise>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Recorded, Decision, testing::ValuesIn(recorded_noise()), name_of);
INSTANTIATE_TEST_SUITE_P(Synthetic, Decision, testing::ValuesIn(synthetic_noise()), name_of);
// A checkout may come without recordings.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Recorded);

TEST(DecisionOnOffsets, KeepsNoKernelThatIsTheSameWhereOneOfTheTwoIsSlowerForAFewPairsInARow) {
  // By twice the minimum gain: where the buffers of a short kernel lie can make as much.
  const NormalNoise noise{.deviation = 0.004, .offset = 0.01, .offset_pairs = 2};
  EXPECT_EQ(tally_normal(noise, 0, 0.005, kNoOps).faster, 0);
}

class Recorded : public testing::TestWithParam<Noise> {};

TEST_P(Recorded, FindsNoGainBetweenAKernelAndItself) {
  const PairedEstimate whole = estimate(GetParam().log_ratios);
  EXPECT_LT(std::fabs(whole.mean), log_ratio_of(GetParam().min_gain));
  EXPECT_NE(conclude(whole, GetParam().min_gain), Conclusion::faster);
}

INSTANTIATE_TEST_SUITE_P(Recorded, Recorded, testing::ValuesIn(recorded_noise()), name_of);

class Recording : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path with(const std::string& text) const {
    return folder_.write("a-kernel.tsv", text);
  }

 private:
  test::ScratchFolder folder_;
};

TEST_F(Recording, HasALogarithmForEachPair) {
  const Noise noise =
      read_recording(with("# NVIDIA H200\tmatmul\ncandidate_us\tincumbent_us\n2.5\t5\n4\t2\n"));
  EXPECT_EQ(noise.name, "a_kernel");
  EXPECT_DOUBLE_EQ(noise.min_gain, 0.005);
  EXPECT_THAT(noise.log_ratios, testing::ElementsAre(std::log(2.0), std::log(0.5)));
}

TEST(NoiseOfPairs, IsTheStandardDeviationOfTheirLogarithms) {
  EXPECT_DOUBLE_EQ(scatter({.name = {}, .log_ratios = {1, 3, 1, 3}}), std::sqrt(4.0 / 3));
}

TEST(NoiseOfPairs, HasACorrelationBelowZeroWhereTheyTakeTurns) {
  EXPECT_DOUBLE_EQ(correlation({.name = {}, .log_ratios = {1, 3, 1, 3}}), -0.75);
  EXPECT_DOUBLE_EQ(correlation({.name = {}, .log_ratios = {1, 1, 3, 3}}), 0.25);
}

TEST_F(Recording, OfTheEmulatedDeviceHasItsMinGain) {
  const Noise noise = read_recording(
      with("# CPU, emulated CUDA driver\tmatmul\ncandidate_us\tincumbent_us\n1\t1\n1\t1\n"));
  EXPECT_DOUBLE_EQ(noise.min_gain, 0.02);
}

TEST_F(Recording, ThatIsDamagedIsRefusedWithItsLine) {
  const auto refused = [&](const std::string& text) {
    try {
      (void)read_recording(with(text));
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string head = "# NVIDIA H200\tmatmul\ncandidate_us\tincumbent_us\n";
  EXPECT_THAT(refused(""), testing::HasSubstr("a-kernel.tsv:1: expected '# <device>"));
  EXPECT_THAT(refused("# NVIDIA H200\tmatmul\n1\t1\n1\t1\n"), testing::HasSubstr(":2: "));
  EXPECT_THAT(refused(head + "1\t1\n1\t0\n"), testing::HasSubstr(":4: expected two times"));
  EXPECT_THAT(refused(head + "1\t1\n1\n"), testing::HasSubstr(":4: expected two times"));
  EXPECT_THAT(refused(head + "1\t1\n1\t1\t1\n"), testing::HasSubstr(":4: expected two times"));
  EXPECT_THAT(refused(head + "1\t1\n"), testing::HasSubstr("two pairs at least"));
}

}  // namespace
}  // namespace autokernel::trial
