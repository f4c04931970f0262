// Scores of solutions by KernelBench's and SOL-ExecBench's rules, of made-up results.
#include "cli/evaluate/scores.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace autokernel::cli {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

[[nodiscard]] SolutionInCase relu() {
  SolutionInCase solution;
  solution.file = "mine.py";
  solution.problem = "19_ReLU.py";
  return solution;
}
[[nodiscard]] trial::Result timed(double us, bool emulated = false) {
  trial::Result result;
  result.verdict = trial::Verdict::correct;
  result.times = trial::Times{.samples_us = {us}, .median_us = us, .p95_us = us, .noise_pct = 0};
  result.device.emplace();
  result.device->name = emulated ? "CPU" : "NVIDIA H100";
  result.device->emulated = emulated;
  // 100 us at the least, by memory.
  result.bytes = 1e8;
  result.peak_gbytes_s = 1000;
  result.peak_tflops = 1000;
  return result;
}
[[nodiscard]] trial::Result wrong() {
  trial::Result result;
  result.verdict = trial::Verdict::incorrect;
  result.reason = "y[0] = 1, expected 2";
  return result;
}
const std::optional<bridge::BaselineTimes> kBaseline = bridge::BaselineTimes{
    .of_problems = {{"19_ReLU.py", {0.3, "NVIDIA H100"}}}, .of_workloads = {}};

[[nodiscard]] SolutionScore scored(
    const std::map<std::string, trial::Result>& results,
    const std::optional<bridge::BaselineTimes>& baseline = kBaseline) {
  return score_of(relu(), {}, results, baseline);
}

TEST(Scores, AreOverTheBaselineAtTheProblemsOwnSize) {
  const SolutionScore score = scored({{"default", timed(200)}, {"check", timed(1)}});
  EXPECT_TRUE(score.is_right);
  EXPECT_THAT(score.speedup, Optional(DoubleEq(1.5)));
  // 1 / (1 + (200 - 100) / (300 - 100))
  EXPECT_THAT(score.sol_score, Optional(DoubleEq(2.0 / 3)));
  EXPECT_THAT(score.doubts, IsEmpty());
}

TEST(Scores, OfWhatIsWrongAtOneSizeAreOfNoUse) {
  const SolutionScore score = scored({{"default", timed(200)}, {"check", wrong()}});
  EXPECT_FALSE(score.is_right);
  EXPECT_THAT(scores_text({score}),
              AllOf(HasSubstr("right:            0 of 1"),
                    HasSubstr("mine.py      no        -          -  check: incorrect: y[0] = 1, "
                              "expected 2\n"),
                    Not(HasSubstr("geomean_speedup"))));
  EXPECT_FALSE(scored({}).is_right);
}

TEST(Scores, SayWhatTheBaselineIsOf) {
  EXPECT_THAT(scored({{"default", timed(200, true)}}).doubts,
              ElementsAre("no speedup: the baseline's times are of a GPU, and this is none"));
  EXPECT_FALSE(scored({{"default", timed(200, true)}}).speedup.has_value());
  const bridge::BaselineTimes other{.of_problems = {{"19_ReLU.py", {0.3, "NVIDIA A100"}}},
                                    .of_workloads = {}};
  const SolutionScore elsewhere = scored({{"default", timed(200)}}, other);
  EXPECT_TRUE(elsewhere.speedup.has_value());
  EXPECT_THAT(elsewhere.doubts,
              ElementsAre("the baseline is of NVIDIA A100, and this is NVIDIA H100"));
  EXPECT_THAT(scored({{"check", timed(200)}}).doubts,
              ElementsAre("no speedup: the baseline has no time of what was measured"));
}

TEST(Scores, AreOverTheKernelBesideWithoutABaseline) {
  trial::Result result = timed(200);
  result.comparison.emplace();
  result.comparison->incumbent_times.median_us = 100;
  EXPECT_THAT(scored({{"default", result}}, std::nullopt).speedup, Optional(DoubleEq(0.5)));
  EXPECT_FALSE(scored({{"default", timed(200)}}, std::nullopt).speedup.has_value());
}

TEST(Scores, ShareThatIsFastIsOfAllSolutions) {
  // 3, 1 and 0.75 times as fast; a wrong one; one that was not judged.
  std::vector<SolutionScore> scores = {
      scored({{"default", timed(100)}}), scored({{"default", timed(300)}}),
      scored({{"default", timed(400)}}), scored({{"default", wrong()}})};
  scores.emplace_back().file = "cut.py";
  scores.back().why_not = "not judged: it has no ModelNew\nline 2";
  const std::string text = scores_text(scores);
  EXPECT_THAT(text, AllOf(HasSubstr("right:            3 of 5"),
                          HasSubstr("fast_p:           0.600 at 0.0, 0.600 at 0.5, 0.400 at 0.8, "
                                    "0.200 at 1.0, 0.200 at 1.5, 0.200 at 2.0"),
                          HasSubstr("geomean_speedup:  1.310"),
                          HasSubstr("not judged: it has no ModelNew\n")));
  const auto record = nlohmann::json::parse(scores_record(scores));
  EXPECT_EQ(record["right"], 3);
  EXPECT_EQ(record["fast_p"]["1.0"], 0.2);
  EXPECT_EQ(record["solutions"].size(), 5);
  EXPECT_TRUE(record["solutions"][4]["speedup"].is_null());
  EXPECT_NEAR(record["geomean_speedup"].get<double>(), 1.3104, 1e-4);
}

}  // namespace
}  // namespace autokernel::cli
