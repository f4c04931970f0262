// A step is stopped in the middle of its trial.
#include <gmock/gmock.h>

#include <csignal>
#include <thread>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LoopInterruption : public LoopWorkplace {
 protected:
  LoopInterruption() { start(); }

  // A step with a kernel that never ends, which is being checked when this returns.
  [[nodiscard]] RunningProgram endless_step() const {
    edit(endless_kernel());
    RunningProgram program(autokernel({"loop", "step", "-m", "never end", "--verbose"}));
    const auto deadline = steady_clock::now() + seconds{60};
    while (program.err_so_far().find("entered phase check") == std::string::npos &&
           steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{10});
    }
    EXPECT_THAT(program.err_so_far(), HasSubstr("entered phase check"));
    return program;
  }
  // The experiment is on record, its source can be had back, and the next step works.
  void expect_recorded_as_interrupted() const {
    EXPECT_EQ(entries("experiment").at(1).at("verdict"), "interrupted");
    EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash never end"));
    expect_at(experiment(0));
    EXPECT_EQ(kernel_now(), kernel(kSlow));
    expect_nothing_under_way();
    EXPECT_EQ(run_autokernel({"restore", "1"}).code, 0);
    EXPECT_EQ(kernel_now(), endless_kernel());
    EXPECT_EQ(step(wrong_kernel(), "three times x").code, 11);
  }
};

TEST_F(LoopInterruption, ByCtrlCRecordsTheExperimentAndPutsTheKernelBack) {
  RunningProgram program = endless_step();
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{60});
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, HasSubstr("experiment 1 is recorded as interrupted"));
  expect_nothing_left();
  expect_recorded_as_interrupted();
}

TEST_F(LoopInterruption, ByAKillIsRepairedByTheNextCommandWhichSaysSo) {
  RunningProgram program = endless_step();
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(seconds{60}).code, 137);
  EXPECT_EQ(kernel_now(), endless_kernel());
  const Outcome status = run_autokernel({"loop", "status"});
  EXPECT_EQ(status.code, 0) << status.err;
  EXPECT_THAT(status.err, HasSubstr("experiment 1 was interrupted: it is recorded as such"));
  EXPECT_EQ(value_of("experiments", status.out), "1 (0 kept, 0 discarded, 1 failed)");
  EXPECT_THAT(run_autokernel({"loop", "status"}).err, IsEmpty());
  expect_recorded_as_interrupted();
}

TEST_F(LoopInterruption, ByAKillMayBeTriedOnceMore) {
  RunningProgram program = endless_step();
  program.send(SIGKILL);
  (void)program.wait(seconds{60});
  EXPECT_EQ(run_autokernel({"restore", "1"}).code, 0);
  EXPECT_EQ(run_autokernel({"loop", "step", "-m", "never end", "--timeout", "2"}).code, 13);
}

TEST_F(LoopInterruption, ByACleanUpOfWhatGitIgnoresLosesNoExperiment) {
  EXPECT_EQ(step(wrong_kernel(), "three times x").code, 11);
  repository_.git("clean", "--quiet", "-fdx");
  const Outcome log = run_autokernel({"log"});
  EXPECT_EQ(log.code, 0) << log.err;
  EXPECT_THAT(log.out, HasSubstr("incorrect         three times x"));
  EXPECT_THAT(log.err, HasSubstr("ledger.jsonl was removed, and was restored from "));
  EXPECT_THAT(run_autokernel({"log"}).err, IsEmpty());
}

}  // namespace
}  // namespace autokernel::test
