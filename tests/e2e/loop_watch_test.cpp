// One experiment each time the kernel is saved, and the runner that is ready for it.
#include <gmock/gmock.h>

#include <csignal>
#include <thread>
#include <tuple>

#include "e2e/loop_workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class LoopWatch : public LoopWorkplace {
 protected:
  static void SetUpTestSuite() { share_no_resident(); }
  template <typename Condition>
  static void wait_for(Condition condition) {
    const auto deadline = steady_clock::now() + seconds{60};
    while (!condition() && steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{10});
    }
    EXPECT_TRUE(condition());
  }
  // What is saved while a step is under way is kept aside, and not tried.
  void wait_for_rows(std::size_t count) const {
    wait_for([&] {
      return rows().size() == count &&
             repository_.line("status", "--porcelain", "--", kKernel).empty();
    });
    std::this_thread::sleep_for(milliseconds{500});
  }
  [[nodiscard]] Outcome interrupted(RunningProgram& watch) const {
    watch.send(SIGINT);
    return watch.wait(seconds{60});
  }
  [[nodiscard]] pid_t waiting_launcher() const {
    return process_named("autokernel-lau", repository_.beside("").string());
  }
};

TEST_F(LoopWatch, TriesEachVersionThatIsSaved) {
  start();
  RunningProgram watch(autokernel({"loop", "watch", "-m", "by hand"}));
  std::this_thread::sleep_for(milliseconds{300});  // it waits for an edit
  edit(kernel(kFaster));
  wait_for_rows(2);
  wait_for([&] { return kernel_now() == kernel(kFaster); });
  edit(wrong_kernel());
  wait_for_rows(3);
  // What is not kept is reverted, and the reverting is no edit.
  wait_for([&] { return kernel_now() == kernel(kFaster); });
  std::this_thread::sleep_for(milliseconds{500});
  const Outcome run = interrupted(watch);
  EXPECT_EQ(run.code, 128 + SIGINT);
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep by hand", "crash by hand"));
  EXPECT_THAT(run.err, HasSubstr("stopped after 2 experiments: interrupted"));
  expect_at(experiment(1));
  expect_nothing_left();
}

TEST_F(LoopWatch, TriesWhatWasSavedBefore) {
  start();
  edit(kernel(kFaster));
  RunningProgram watch(autokernel({"loop", "watch"}));
  wait_for_rows(2);
  EXPECT_EQ(interrupted(watch).code, 128 + SIGINT);
  EXPECT_THAT(rows().at(1), StartsWith("keep saved at "));
}

TEST_F(LoopWatch, WaitsForTheNextSaveWhereOneIsNothingNew) {
  start();
  RunningProgram watch(autokernel({"loop", "watch", "-m", "by hand"}));
  std::this_thread::sleep_for(milliseconds{300});
  edit(kernel(kSlow) + "// nothing but a comment\n");
  wait_for([&] { return watch.err_so_far().find("no experiment, waiting") != std::string::npos; });
  edit(kernel(kFaster));
  wait_for_rows(2);
  EXPECT_EQ(interrupted(watch).code, 128 + SIGINT);
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep by hand"));
}

TEST_F(LoopWatch, WaitsForAKernelThatIsTakenAway) {
  start();
  RunningProgram watch(autokernel({"loop", "watch", "-m", "by hand"}));
  std::this_thread::sleep_for(milliseconds{300});
  std::filesystem::remove(repository_.root() / kKernel);
  wait_for([&] { return watch.err_so_far().find("is not a regular file") != std::string::npos; });
  edit(kernel(kFaster));
  wait_for_rows(2);
  EXPECT_EQ(interrupted(watch).code, 128 + SIGINT);
}

TEST_F(LoopWatch, EndsWhereTheBranchIsSwitched) {
  start();
  RunningProgram watch(autokernel({"loop", "watch"}));
  std::this_thread::sleep_for(milliseconds{300});
  repository_.git("switch", "--quiet", "main");
  edit(kernel(kFaster));
  const Outcome run = watch.wait(seconds{30});
  EXPECT_EQ(run.code, 4);
  EXPECT_THAT(run.err, HasSubstr("no longer checked out"));
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(LoopWatch, EndsWithTheBudgetOfTheRun) {
  start({"--max-runs", "1"});
  edit(kernel(kFaster));
  const Outcome run = run_autokernel({"loop", "watch", "-m", "by hand"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), SizeIs(2));
}

TEST_F(LoopWatch, NeedsARunOnThisBranch) {
  const Outcome run = run_autokernel({"loop", "watch"});
  EXPECT_EQ(run.code, 4);
  EXPECT_THAT(run.out, IsEmpty());
}

// What was compiled while the agent was still at it need not be compiled in the step.
TEST_F(LoopWatch, HasTheNextRunnerCompileEachVersion) {
  start();
  Invocation invocation = autokernel({"loop", "watch", "-m", "by hand", "--verbose"});
  invocation.environment["AUTOKERNEL_RESIDENT"] = "20";
  RunningProgram watch(invocation);
  wait_for([&] { return waiting_launcher() != 0; });
  std::this_thread::sleep_for(milliseconds{500});
  edit(kernel(kFaster));
  wait_for_rows(2);
  const Outcome run = interrupted(watch);
  EXPECT_THAT(run.err, HasSubstr("was ready"));
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep by hand"));
  wait_for([&] {
    std::ignore =
        signal_process(process_named("autokernel-res", repository_.beside("").string()), SIGTERM);
    return processes_marked(repository_.beside("").string()).empty();
  });
  expect_nothing_left();
}

}  // namespace
}  // namespace autokernel::test
