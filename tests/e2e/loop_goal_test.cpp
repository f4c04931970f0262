// What a run keeps a kernel for beside its time at one size: a score of several sizes, guard-rails,
// and sizes that the agent never sees.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "e2e/loop_workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class LoopGoal : public LoopWorkplace {
 protected:
  // The elementwise case with small sizes and this goal.
  void start_with(const std::string& goal, const std::vector<std::string>& more = {}) {
    std::string text = repository_.read("kernels/case.toml");
    const std::string size = "N = 1_048_576\n";
    text.replace(text.find(size), size.size(),
                 "N = 4096\n[sizes.large]\nN = 8192\n[sizes.largest]\nN = 16384\n");
    repository_.write("kernels/case.toml", text + goal);
    repository_.commit("a goal");
    std::vector<std::string> arguments = {"loop", "start", "demo", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    begun_ = run_autokernel(arguments);
    ASSERT_EQ(begun_.code, 0) << begun_.out << begun_.err;
  }
  // Rounds that depend on the size, as an expression of N.
  [[nodiscard]] static std::string kernel_of(const std::string& rounds) {
    return kernel_with(kSlow, "round < " + std::to_string(kSlow), "round < (" + rounds + ")");
  }
  [[nodiscard]] json last() const { return entries("experiment").back(); }
  void expect_not_kept(const Outcome& step, int code, const std::string& verdict) const {
    EXPECT_EQ(step.code, code) << step.out << step.err;
    EXPECT_EQ(value_of("verdict", step.out), verdict);
    expect_at(experiment(0));
    EXPECT_EQ(kernel_now(), kernel(kSlow));
    expect_nothing_left();
  }

  Outcome begun_;
};

constexpr const char* kTwoSizes = "[score]\ndefault = 1\nlarge = 3\n";

TEST_F(LoopGoal, AScoreIsAWeightedGeometricMeanOfTheTimes) {
  if (!everything_is_wanted()) GTEST_SKIP() << "half a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  start_with(kTwoSizes);
  const json baseline = last();
  ASSERT_EQ(baseline["sizes"].size(), 2U);
  const double small = baseline["sizes"][0]["median_us"];
  const double large = baseline["sizes"][1]["median_us"];
  EXPECT_EQ(baseline["sizes"][1]["size"], "large");
  EXPECT_EQ(baseline["sizes"][1]["weight"], 3);
  EXPECT_NEAR(baseline["median_us"], std::exp((std::log(small) + 3 * std::log(large)) / 4), 1e-6);
  EXPECT_EQ(entries("run_started").back()["score"], (json{{"default", 1}, {"large", 3}}));

  const Outcome kept = step(kernel(kFaster), "a tenth of the rounds");
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  const json sizes = last()["sizes"];
  ASSERT_EQ(sizes.size(), 2U);
  const double gain = last()["gain"]["estimate"];
  const double logs = std::log(1 - sizes[0]["gain"]["estimate"].get<double>()) +
                      3 * std::log(1 - sizes[1]["gain"]["estimate"].get<double>());
  EXPECT_NEAR(std::log(1 - gain), logs / 4, 1e-9);
  EXPECT_GT(gain, 0.5);
}

TEST_F(LoopGoal, WhatIsGainedAtOneSizeAndLostAtAHeavierOneIsNotFaster) {
  if (!everything_is_wanted()) GTEST_SKIP() << "half a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  start_with(kTwoSizes);
  const Outcome run = step(kernel_of("N == 4096 ? 10000 : 120000"), "fast at the small size alone");
  expect_not_kept(run, 10, "not faster");
  EXPECT_THAT(value_of("reason", run.out), AllOf(HasSubstr("by the score of 2 sizes"),
                                                 HasSubstr("default -"), HasSubstr("large +")));
  EXPECT_LT(last()["gain"]["estimate"].get<double>(), 0);
  EXPECT_GT(last()["sizes"][0]["gain"]["estimate"].get<double>(), 0);
}

TEST_F(LoopGoal, WhatIsGainedAtTheHeavierSizeMayCostAtAnother) {
  start_with(kTwoSizes);
  const Outcome run = step(kernel_of("N == 4096 ? 120000 : 3000"), "fast at the large size");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_LT(last()["sizes"][0]["gain"]["estimate"].get<double>(), 0);
}

TEST_F(LoopGoal, AKernelMustBeRightAtEverySizeOfTheScore) {
  start_with(kTwoSizes);
  std::string source = kernel(kFaster);
  source.replace(source.find("z[i] = sum"), 10, "z[i] = N == 8192 ? 0 : sum");
  const Outcome run = step(source, "wrong at the large size");
  expect_not_kept(run, 11, "incorrect");
  EXPECT_THAT(value_of("reason", run.out), StartsWith("at size large: "));
}

TEST_F(LoopGoal, IsConfirmedAtAllSizesOfTheScore) {
  if (!everything_is_wanted()) GTEST_SKIP() << "half a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  start_with(kTwoSizes);
  ASSERT_EQ(step(kernel(kFaster), "a tenth of the rounds").code, 0);
  const Outcome finish = run_autokernel({"loop", "finish", "--processes", "2"});
  EXPECT_EQ(finish.code, 0) << finish.out << finish.err;
  EXPECT_THAT(finish.err, AllOf(HasSubstr("at size default"), HasSubstr("at size large")));
  EXPECT_GT(entries("run_finished").back()["over_baseline"]["ratio"].get<double>(), 2);
  EXPECT_EQ(run_autokernel({"verify-run", "--processes", "2"}).code, 0);
}

TEST_F(LoopGoal, OfARunAtAnotherSizeIsThatSizeAlone) {
  start_with(std::string(kTwoSizes) + "[guard.loss_pct]\nlargest = 2\n", {"--size", "check"});
  EXPECT_EQ(entries("run_started").back()["score"], json::object());
  EXPECT_EQ(step(kernel_of("N == 16384 ? 120000 : 3000"), "slow elsewhere").code, 0);
  EXPECT_TRUE(last()["sizes"].empty());
}

TEST_F(LoopGoal, KeepsNothingThatTakesMoreRegistersThanAllowed) {
  start_with("[guard]\nregisters = 1\n");
  EXPECT_THAT(begun_.err, HasSubstr("the baseline is over a guard-rail of the case"));
  const Outcome run = step(kernel(kFaster), "a tenth of the rounds");
  expect_not_kept(run, 18, "over a guard-rail");
  EXPECT_THAT(value_of("reason", run.out),
              AllOf(HasSubstr("but it has"), HasSubstr("registers per thread, and 1 is allowed")));
}

TEST_F(LoopGoal, KeepsNothingThatLosesTooMuchAtAGuardedSize) {
  if (!everything_is_wanted()) GTEST_SKIP() << "half a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  start_with("[guard.loss_pct]\nlargest = 10\n");
  const Outcome run = step(kernel_of("N == 16384 ? 120000 : 3000"), "slow at the largest");
  expect_not_kept(run, 18, "over a guard-rail");
  EXPECT_THAT(value_of("reason", run.out),
              AllOf(HasSubstr("but at size largest it takes +"), HasSubstr("at most +10.00 %")));
  EXPECT_EQ(step(kernel(kFaster), "fast at all").code, 0);
}

TEST_F(LoopGoal, KeepsNothingThatIsWrongAtAHiddenSizeAndDoesNotSayWhich) {
  const std::string hidden = repository_.beside("hidden.toml").string();
  std::ofstream(hidden) << "[sizes.secret]\nN = 2560\n";
  start_with("", {"--hidden-sizes", hidden});
  std::string source = kernel(kFaster);
  source.replace(source.find("z[i] = sum"), 10, "z[i] = N == 2560 ? 0 : sum");
  const Outcome run = step(source, "wrong somewhere", {"--hidden-sizes", hidden});
  expect_not_kept(run, 11, "incorrect");
  EXPECT_THAT(value_of("next", run.out), HasSubstr("right at every size"));
  for (const std::string& text :
       {run.out, run.err, repository_.read(".autokernel/ledger.jsonl"),
        repository_.read(".autokernel/runs/demo/1.log"), begun_.out, begun_.err}) {
    std::string without_source = text;
    for (std::size_t at; (at = without_source.find("N == 2560")) != std::string::npos;)
      without_source.erase(at, 9);
    // As a number: digests have all digits.
    EXPECT_THAT(without_source, AllOf(Not(testing::ContainsRegex("[^0-9a-f.]2560[^0-9a-f.]")),
                                      Not(HasSubstr("secret"))));
  }
  EXPECT_EQ(step(kernel(kFaster), "right", {"--hidden-sizes", hidden}).code, 0);
  const Outcome finish =
      run_autokernel({"loop", "finish", "--processes", "2", "--hidden-sizes", hidden});
  EXPECT_EQ(finish.code, 0) << finish.err;
  EXPECT_EQ(value_of("hidden_sizes", finish.out), "right at 1");
}

TEST_F(LoopGoal, HiddenSizesStayTheSameForAWholeRun) {
  const std::string hidden = repository_.beside("hidden.toml").string();
  std::ofstream(hidden) << "[sizes.secret]\nN = 2560\n";
  start_with("", {"--hidden-sizes", hidden});
  const Outcome without = step(kernel(kFaster), "an edit");
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("started with hidden sizes"));
  std::ofstream(hidden) << "[sizes.secret]\nN = 2304\n";
  const Outcome others = step(kernel(kFaster), "an edit", {"--hidden-sizes", hidden});
  EXPECT_EQ(others.code, 2);
  EXPECT_THAT(others.err, HasSubstr("are not those that this run was started with"));
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
}

TEST_F(LoopGoal, HiddenSizesThatDoNotGoWithTheCaseStartNoRun) {
  const std::string hidden = repository_.beside("hidden.toml").string();
  const std::vector<std::string> start = {"loop",           "start", "demo",   "--device", "cpu",
                                          "--hidden-sizes", hidden,  "--size", "check"};
  EXPECT_THAT(run_autokernel(start).err, HasSubstr("cannot read the hidden sizes in"));
  for (const auto& [text, words] : {std::pair{"", "holds no sizes"},
                                    {"[sizes.secret]\nM = 1\n", "do not go with the case"},
                                    {"[sizes.check]\nN = 1\n", "do not go with the case"},
                                    {"# none\n", "holds no sizes"}}) {
    std::ofstream(hidden) << text;
    const Outcome run = run_autokernel(start);
    EXPECT_EQ(run.code, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(words)) << text;
  }
  EXPECT_THAT(repository_.line("branch", "--list", "autokernel/demo"), IsEmpty());
}

}  // namespace
}  // namespace autokernel::test
