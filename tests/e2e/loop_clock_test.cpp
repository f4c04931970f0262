// The machine's clock is set while a run is made: nothing is timed by it, and what is told by it
// stays sensible.
#include <gmock/gmock.h>

#include <chrono>

#include "adversarial/switched_defences.h"
#include "e2e/loop_workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

class LoopClock : public LoopWorkplace {
 protected:
  // With a clock that jumps by a year at each look, or is wrong by so many seconds.
  [[nodiscard]] Outcome with_clock(const std::string& error,
                                   const std::vector<std::string>& arguments) const {
    Invocation invocation = autokernel(arguments);
    // Which gives the runner that clock as well; the product would not.
    invocation.program = AUTOKERNEL_WITHOUT_DEFENCES;
    invocation.environment[kSwitch] = "fixed_environment";
    invocation.environment["LD_PRELOAD"] = AUTOKERNEL_JUMPING_CLOCK;
    invocation.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0";
    if (error != kJumping) invocation.environment["AUTOKERNEL_TEST_CLOCK"] = error;
    return test::run(invocation);
  }
  [[nodiscard]] Outcome step_with_clock(const std::string& error, const std::string& source,
                                        const std::string& idea) const {
    edit(source);
    return with_clock(error, {"loop", "step", "-m", idea});
  }
  void start_with_clock(const std::string& error) const {
    const Outcome run =
        with_clock(error, {"loop", "start", "demo", "--device", "cpu", "--size", "check"});
    EXPECT_EQ(run.code, 0) << run.err;
  }
  // Finished and verified by that clock.
  void expect_sound_record(const std::string& error) const {
    const Outcome finished = with_clock(error, {"loop", "finish", "--processes", "2"});
    EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
    const Outcome verified = with_clock(error, {"verify-run", "--processes", "2"});
    // Two processes on a busy machine may leave open what no clock decides.
    EXPECT_THAT(verified.code, AnyOf(0, 16)) << verified.out << verified.err;
    EXPECT_EQ(value_of("record", verified.out), "as it was written");
    for (const json& experiment : entries("experiment")) {
      EXPECT_GT(experiment.at("seconds"), 0);
      EXPECT_LT(experiment.at("seconds"), 600);
    }
    const Outcome status = with_clock(error, {"loop", "status", "--json"});
    EXPECT_EQ(status.code, 0) << status.err;
    EXPECT_GE(json::parse(status.out).at("hours"), 0);
    EXPECT_EQ(with_clock(error, {"log"}).code, 0);
    const Outcome plot = with_clock(error, {"plot", "--format", "term"});
    EXPECT_EQ(plot.code, 0) << plot.err;
    EXPECT_THAT(plot.out, HasSubstr("times as fast"));
  }

  static constexpr const char* kJumping = "";
  static constexpr const char* kRight = "0";
};

TEST_F(LoopClock, ThatJumpsAtEachLookChangesNoVerdictAndNoRecord) {
  start_with_clock(kJumping);
  EXPECT_EQ(step_with_clock(kJumping, kernel(kFaster), "a tenth of the rounds").code, 0);
  EXPECT_EQ(step_with_clock(kJumping, wrong_kernel(), "three times x").code, 11);
  EXPECT_THAT(rows(),
              ElementsAre("keep baseline", "keep a tenth of the rounds", "crash three times x"));
  expect_sound_record(kJumping);
}

TEST_F(LoopClock, ThatIsSetBackAndForthBetweenCommandsKeepsTheirOrder) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  start_with_clock("7200");
  EXPECT_EQ(step_with_clock("-7200", kernel(kFaster), "a tenth of the rounds").code, 0);
  EXPECT_EQ(step_with_clock("86400", wrong_kernel(), "three times x").code, 11);
  EXPECT_EQ(entries("experiment").at(1).at("number"), 1);
  EXPECT_LT(entries("experiment").at(1).at("at"), entries("experiment").at(0).at("at"));
  expect_sound_record("-86400");
}

TEST_F(LoopClock, ThatJumpsMovesNoDeadlineOfAStep) {
  start_with_clock(kRight);
  edit(endless_kernel());
  EXPECT_EQ(with_clock(kJumping, {"loop", "step", "-m", "never end", "--timeout", "2"}).code, 13);
  EXPECT_GE(entries("experiment").at(1).at("seconds"), 2);
}

// An hour, by a clock that is a year ahead a moment later.
TEST_F(LoopClock, ThatJumpsMovesNoEndOfADrive) {
  start_with_clock(kRight);
  repository_.write(repository_.beside("next.cu"), kernel(kFaster));
  const Outcome run = with_clock(
      kJumping, {"loop", "run", "--hours", "1", "--max-runs", "1", "--agent",
                 "cp '" + repository_.beside("next.cu").string() + "' \"$AUTOKERNEL_KERNEL\""});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep an edit without a description"));
}

}  // namespace
}  // namespace autokernel::test
