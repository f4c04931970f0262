// The runner of a step is killed, or stopped, from outside: the step ends with a class and words
// that fit, nothing is gained by it, and the next step works.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <regex>
#include <thread>
#include <tuple>

#include "e2e/loop_workplace.h"
#include "support/census.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

// AUTOKERNEL_TEST_FULL=1: all of them.
int kills() { return everything_is_wanted() ? 20 : 4; }

constexpr unsigned kSeed = 20'240;

class LoopKilledRunner : public LoopWorkplace {
 protected:
  LoopKilledRunner() { start(); }

  [[nodiscard]] RunningProgram begin_step(const std::string& source,
                                          const std::vector<std::string>& more = {}) const {
    edit(source);
    std::vector<std::string> arguments = {"loop", "step", "-m", "an idea", "--verbose"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Invocation invocation = autokernel(arguments);
    // AddressSanitizer would make an exit of a SIGSEGV.
    invocation.environment["ASAN_OPTIONS"] = "handle_segv=0";
    return RunningProgram(invocation);
  }
  static void wait_for(const RunningProgram& program, const std::string& words) {
    const std::regex wanted(words);
    const auto deadline = steady_clock::now() + seconds{60};
    while (!std::regex_search(program.err_so_far(), wanted) && steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{5});
    }
    EXPECT_TRUE(std::regex_search(program.err_so_far(), wanted)) << program.err_so_far();
  }
  // The last one that was started.
  [[nodiscard]] static pid_t runner_of(const RunningProgram& program) {
    const std::string log = program.err_so_far();
    const std::regex started("runner ([0-9]+) started");
    pid_t runner = 0;
    for (std::sregex_iterator match(log.begin(), log.end(), started), end; match != end; ++match) {
      runner = std::stoi((*match)[1]);
    }
    return runner;
  }
  // A step whose runner gets that signal while it checks a kernel that never ends.
  [[nodiscard]] Outcome step_with(int signal, const std::vector<std::string>& more = {}) const {
    RunningProgram program = begin_step(endless_kernel(), more);
    // The incumbent has run by itself.
    wait_for(program, "check\n.*entered phase harness\n.*entered phase check");
    EXPECT_TRUE(signal_process(runner_of(program), signal));
    return program.wait(seconds{90});
  }
  void expect_recorded(const std::string& verdict) const {
    EXPECT_EQ(entries("experiment").at(1).at("verdict"), verdict);
    EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash an idea"));
    expect_at(experiment(0));
    expect_nothing_left();
    EXPECT_EQ(step(wrong_kernel(), "three times x").code, 11);
  }
};

TEST_F(LoopKilledRunner, OutrightIsACrashThatPointsAtTheSystem) {
  const Outcome run = step_with(SIGKILL);
  EXPECT_EQ(run.code, 14) << run.out << run.err;
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("killed by SIGKILL while checking"));
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("out-of-memory"));
  expect_recorded("crashed");
}

TEST_F(LoopKilledRunner, ByAFaultIsACrashThatNamesIt) {
  const Outcome run = step_with(SIGSEGV);
  EXPECT_EQ(run.code, 14) << run.out << run.err;
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("killed by SIGSEGV while checking"));
  expect_recorded("crashed");
}

TEST_F(LoopKilledRunner, ThatIsOnlyStoppedIsTimedOut) {
  const Outcome run = step_with(SIGSTOP, {"--timeout", "2"});
  EXPECT_EQ(run.code, 13) << run.out << run.err;
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("checking the kernel took more than 2 s"));
  expect_recorded("timed out");
}

TEST_F(LoopKilledRunner, AtAnyMomentIsNoGain) {
  std::minstd_rand random(kSeed);
  std::uniform_int_distribution<int> moment(0, 2500);
  for (int i = 1; i <= kills(); ++i) {
    const std::string source = kernel_with(3 * kSlow, "float sum",
                                           "const int edit = " + std::to_string(i) + "; float sum");
    RunningProgram program = begin_step(source);
    wait_for(program, "started");
    std::this_thread::sleep_for(milliseconds{moment(random)});
    // It may have ended by itself.
    std::ignore = signal_process(runner_of(program), SIGKILL);
    const Outcome run = program.wait(seconds{90});
    ASSERT_THAT(run.code, AnyOf(3, 10, 14, 16)) << run.out << run.err;
    ASSERT_EQ(head(), experiment(0));
    ASSERT_EQ(rows().size(), entries("experiment").size());
    ASSERT_EQ(kernel_now(), run.code == 3 ? source : kernel(kSlow)) << run.err;
    expect_nothing_left();
  }
  EXPECT_EQ(step(kernel(kFaster), "a tenth of the rounds").code, 0);
}

}  // namespace
}  // namespace autokernel::test
