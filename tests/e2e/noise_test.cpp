// `autokernel noise`: this machine measured, and what others make of it.
#include <gmock/gmock.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class NoiseOfTheMachine : public LoopWorkplace {
 protected:
  // With a kernel that is quick, for many pairs in little time.
  NoiseOfTheMachine() {
    edit(kernel(kFastest));
    repository_.commit("a quick kernel");
  }

  static std::vector<std::string> arguments(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"noise", "--device",  "cpu", "--size",
                                    "check", "--seconds", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] Outcome measure(const std::vector<std::string>& more = {}) const {
    return run_autokernel(arguments(more));
  }
  // Of the file that a noise has stored, changed.
  void in_stored(const fs::path& file, const std::function<void(json&)>& change) const {
    json stored = json::parse(repository_.read(file));
    change(stored);
    repository_.write(file, stored.dump() + "\n");
  }
};

TEST_F(NoiseOfTheMachine, IsMeasuredPrintedAndStored) {
  const Outcome run = measure();
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(value_of("pairs", run.out), HasSubstr(" in "));
  EXPECT_GT(std::stod(value_of("pair_noise_pct", run.out)), 0);
  EXPECT_GT(std::stod(value_of("mean_noise_pct", run.out)), 0);
  EXPECT_GT(std::stod(value_of("found_5s_pct", run.out)), 0);
  EXPECT_THAT(value_of("false_keeps", run.out), HasSubstr(" of 3000"));
  EXPECT_EQ(value_of("timing", run.out), "emulated");
  EXPECT_TRUE(fs::exists(value_of("stored", run.out)));
  EXPECT_THAT(repository_.git("status", "--porcelain"), IsEmpty());
}

TEST_F(NoiseOfTheMachine, IsOneObjectWithJson) {
  const Outcome run = measure({"--json", "--min-gain", "5"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  const json object = json::parse(run.out);
  EXPECT_EQ(object.at("size"), "check");
  EXPECT_EQ(object.at("min_gain"), 0.05);
  EXPECT_EQ(object.at("decisions"), 3000);
  EXPECT_EQ(object.at("reach").size(), 3U);
}

TEST_F(NoiseOfTheMachine, OfAWrongKernelIsNotMeasured) {
  edit(wrong_kernel());
  const Outcome run = measure();
  EXPECT_EQ(run.code, 11) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("the kernel must be correct"));
  EXPECT_FALSE(fs::exists(repository_.root() / ".autokernel" / "noise"));
}

TEST_F(NoiseOfTheMachine, TakesSecondsWithinReason) {
  const Outcome run =
      run_autokernel({"noise", "--device", "cpu", "--size", "check", "--seconds", "0"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("--seconds takes 1 to 3600"));
}

TEST_F(NoiseOfTheMachine, IsSaidByTheStatusOfARunAndItsStart) {
  const Outcome measured = measure();
  ASSERT_EQ(measured.code, 0) << measured.out << measured.err;
  // As if this machine were so loud that only half the time could be told.
  in_stored(value_of("stored", measured.out), [](json& stored) {
    stored["reach"][1]["gain"] = 0.5;
    stored["longest"]["gain"] = 0.5;
  });
  const Outcome start = run_autokernel(
      {"loop", "start", "loud", "--device", "cpu", "--size", "check", "--min-gain", "2"});
  ASSERT_EQ(start.code, 0) << start.out << start.err;
  EXPECT_THAT(start.err, HasSubstr("2 % is mostly too small to be detected; --min-gain "
                                   "36 is detectable"));
  const Outcome status = run_autokernel({"loop", "status"});
  EXPECT_THAT(value_of("noise", status.out), HasSubstr("50.0 % in 5 s"));
  EXPECT_THAT(json::parse(run_autokernel({"loop", "status", "--json"}).out).at("noise"),
              HasSubstr("50.0 % in 5 s"));
}

TEST_F(NoiseOfTheMachine, IsSaidBeforeAComparisonThatItMakesHopeless) {
  const Outcome measured = measure();
  ASSERT_EQ(measured.code, 0) << measured.out << measured.err;
  in_stored(value_of("stored", measured.out),
            [](json& stored) { stored["longest"]["gain"] = 0.5; });
  const std::vector<std::string> against = {"bench", "--device",  "cpu",   "--size",
                                            "check", "--against", "HEAD~1"};
  const Outcome run = run_autokernel(against);
  EXPECT_THAT(run.err, HasSubstr("mostly too small to be detected"));
  EXPECT_THAT(value_of("warning", run.out), HasSubstr("mostly too small"));
  // A gain that is large enough is found all the same.
  EXPECT_EQ(run.code, 0) << run.out;

  in_stored(value_of("stored", measured.out),
            [](json& stored) { stored["device"] = "another device"; });
  EXPECT_THAT(run_autokernel(against).err, Not(HasSubstr("mostly too small")));
}

TEST_F(NoiseOfTheMachine, ThatIsDamagedIsIgnoredWithAWord) {
  const Outcome measured = measure();
  ASSERT_EQ(measured.code, 0) << measured.out << measured.err;
  repository_.write(value_of("stored", measured.out), "{");
  const Outcome run =
      run_autokernel({"bench", "--device", "cpu", "--size", "check", "--against", "HEAD~1"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("is ignored: it is truncated"));
}

TEST_F(NoiseOfTheMachine, EndsAtCtrlCWithNothingLeft) {
  RunningProgram program(
      autokernel({"noise", "--device", "cpu", "--size", "check", "--seconds", "600", "--verbose"}));
  const auto deadline = steady_clock::now() + seconds{60};
  while (program.err_so_far().find("entered phase time") == std::string::npos &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds{10});
  }
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{20});
  EXPECT_EQ(run.code, 130) << run.out << run.err;
  expect_nothing_left();
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_FALSE(fs::exists(repository_.root() / ".autokernel" / "noise"));
}

}  // namespace
}  // namespace autokernel::test
