// The program is stopped in the middle of a measurement.
#include <gmock/gmock.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "e2e/workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;

class Interruption : public Workplace {
 protected:
  // A bench of a kernel that never ends, which is being checked when this returns.
  [[nodiscard]] RunningProgram endless_bench(const std::string& more = "--verbose") const {
    RunningProgram program(autokernel(bench_arguments("never_ends", {"--verbose", more})));
    const auto deadline = steady_clock::now() + seconds{60};
    while (program.err_so_far().find("entered phase check") == std::string::npos &&
           steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{10});
    }
    EXPECT_THAT(program.err_so_far(), HasSubstr("entered phase check"));
    return program;
  }
};

TEST_F(Interruption, ByCtrlCEndsEverythingAndSaysSo) {
  RunningProgram program = endless_bench();
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{20});
  EXPECT_EQ(run.code, 130);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, HasSubstr("autokernel: interrupted"));
  expect_nothing_left();
}

TEST_F(Interruption, ByCtrlCLeavesTheObjectThatWasAskedFor) {
  RunningProgram program = endless_bench("--json");
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{20});
  EXPECT_EQ(run.code, 130);
  const auto object = nlohmann::json::parse(run.out);
  EXPECT_EQ(object.at("exit_code"), 130);
  EXPECT_EQ(object.at("error"), "interrupted; nothing of it was left running");
  EXPECT_EQ(object.at("schema_version"), 1);
}

TEST_F(Interruption, ByTerminationEndsEverything) {
  RunningProgram program = endless_bench();
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(seconds{20}).code, 143);
  expect_nothing_left();
}

TEST_F(Interruption, ByAClosedTerminalEndsEverything) {
  RunningProgram program = endless_bench();
  program.send(SIGHUP);
  EXPECT_EQ(program.wait(seconds{20}).code, 129);
  expect_nothing_left();
}

TEST_F(Interruption, ByAKillLeavesNoProcess) {
  RunningProgram program = endless_bench();
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(seconds{20}).code, 137);
  EXPECT_THAT(processes_still_marked(scratch_.path().string()), IsEmpty());
}

TEST_F(Interruption, LeavesTheNextBenchUnharmed) {
  RunningProgram program = endless_bench();
  program.send(SIGKILL);
  (void)program.wait(seconds{20});
  expect_next_bench_works();
}

}  // namespace
}  // namespace autokernel::test
