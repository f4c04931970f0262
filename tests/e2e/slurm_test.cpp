// Trials as jobs of Slurm: a cluster of one node, which the test sets up where it can.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "autokernel/base/search_path.h"
#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::HasSubstr;

class Slurm : public LoopWorkplace {
 protected:
  void SetUp() override {
    for (const char* daemon : {"slurmctld", "slurmd", "munged"}) {
      if (!fs::exists("/usr/sbin/" + std::string(daemon)) || ::geteuid() != 0)
        GTEST_SKIP() << "there is no " << daemon << ", or this is not root";
    }
    ASSERT_EQ(shell(kScript + " start " + folder_ + " " + std::to_string(port_)), 0);
    is_up_ = true;
  }
  void TearDown() override {
    if (is_up_) {
      EXPECT_EQ(shell(kScript + " stop " + folder_), 0);
    }
  }

  [[nodiscard]] Invocation on_cluster(const std::vector<std::string>& arguments) const {
    Invocation invocation = autokernel(arguments);
    invocation.environment["SLURM_CONF"] = folder_ + "/slurm.conf";
    invocation.environment["PATH"] =
        fs::path(AUTOKERNEL_PROGRAM).parent_path().string() + ":/usr/sbin:/usr/bin:/sbin:/bin";
    invocation.environment["AUTOKERNEL_RESIDENT"] = "0";
    return invocation;
  }
  [[nodiscard]] Outcome run_on_cluster(const std::vector<std::string>& arguments) const {
    return test::run(on_cluster(arguments));
  }
  [[nodiscard]] Outcome step_on_cluster(const std::string& source, const std::string& idea) const {
    edit(source);
    return run_on_cluster({"loop", "step", "-m", idea});
  }
  // A command of Slurm's, which must succeed.
  void slurm(const std::string& command) const {
    EXPECT_EQ(shell("SLURM_CONF=" + folder_ + "/slurm.conf " + command), 0) << command;
  }
  // Waits until a job of ours is in that state.
  void await_job(const std::string& state) const {
    slurm("sh -c 'for i in $(seq 300); do squeue -h -o %T | grep -q " + state +
          " && exit 0; sleep 0.1; done; exit 1'");
  }

  static constexpr const char* kDevice = "slurm:test,gres=gpu:1/cpu";

 private:
  static int shell(const std::string& line) {
    return std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  }

  const std::string kScript = std::string(AUTOKERNEL_SOURCES) + "/tests/e2e/one_node_slurm.sh";
  const std::string folder_ = repository_.beside("slurm").string();
  const int port_ = 20000 + ::getpid() % 20000;
  bool is_up_ = false;
};

TEST_F(Slurm, RunsTheStoryOfTheReadmeThroughADrainedNode) {
  const Outcome begun =
      run_on_cluster({"loop", "start", "tiles", "--device", kDevice, "--size", "check"});
  ASSERT_EQ(begun.code, 0) << begun.out << begun.err;
  EXPECT_EQ(step_on_cluster(wrong_kernel(), "fewer barriers").code, 11);
  // A node that is drained finishes the job that it has, and takes no other until it is back.
  edit(kernel(kFaster));
  RunningProgram faster(on_cluster({"loop", "step", "-m", "fewer rounds"}));
  await_job("RUNNING");
  slurm("scontrol update nodename=vm state=drain reason=test");
  const Outcome kept = faster.wait(seconds{120});
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  edit(kernel(kFastest));
  RunningProgram waiting(on_cluster({"loop", "step", "-m", "still fewer"}));
  await_job("PENDING");
  std::this_thread::sleep_for(seconds{2});
  slurm("scontrol update nodename=vm state=resume");
  EXPECT_EQ(waiting.wait(seconds{180}).code, 0);
  const Outcome finished = run_on_cluster({"loop", "finish", "--processes", "2"});
  EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
  EXPECT_EQ(rows().size(), 4U);
  const Outcome verified = run_on_cluster({"verify-run", "--processes", "2", "--allow"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  slurm("sh -c 'test -z \"$(squeue -h -t running,pending)\"'");
}

TEST_F(Slurm, AJobThatIsTakenAwayCostsARepetitionAndCountsOnce) {
  ASSERT_EQ(run_on_cluster({"loop", "start", "tiles", "--device", kDevice, "--size", "check"}).code,
            0);
  edit(kernel(kFastest));
  RunningProgram running(on_cluster({"loop", "step", "-m", "fewer rounds"}));
  await_job("RUNNING");
  slurm("sh -c 'scancel $(squeue -h -o %i)'");
  const Outcome step = running.wait(seconds{180});
  EXPECT_EQ(step.code, 0) << step.out << step.err;
  EXPECT_EQ(rows().size(), 2U);
  EXPECT_THAT(entries("experiment").back().dump(), HasSubstr("and the trial made again"));
  slurm("sh -c 'test -z \"$(squeue -h -t running,pending)\"'");
}

TEST_F(Slurm, NothingIsLeftOfAJobThatIsInterrupted) {
  edit(endless_kernel());
  RunningProgram run(
      on_cluster({"bench", "--device", kDevice, "--size", "check", "--quick", "--timeout", "100"}));
  await_job("RUNNING");
  std::this_thread::sleep_for(seconds{2});
  run.send(SIGINT);
  EXPECT_EQ(run.wait(seconds{60}).code, 128 + SIGINT);
  slurm(
      "sh -c 'for i in $(seq 100); do test -z \"$(squeue -h)\" && exit 0; sleep 0.2; done; exit "
      "1'");
}

// An array of a campaign: each task is a run of its own, on the device that its job has.
TEST_F(Slurm, AnArrayRunsACampaignInWorktreesOfItsOwn) {
  const std::string repository = repository_.root().string();
  const std::string script =
      "#!/bin/sh\nset -eu\ncd " + repository +
      "\ngit worktree add -q -f --detach ../task-$SLURM_ARRAY_TASK_ID\n" +
      "cd ../task-$SLURM_ARRAY_TASK_ID\ngit switch -qc own-$SLURM_ARRAY_TASK_ID\n" +
      "autokernel loop start tiles-$SLURM_ARRAY_TASK_ID --device cpu --size check >start.log "
      "2>&1\n";
  const fs::path file = repository_.beside("campaign.sh");
  std::ofstream(file) << script;
  Invocation submit = on_cluster({});
  submit.program = "/usr/bin/sbatch";
  submit.arguments = {"--wait", "--array=1-2", "--gres=gpu:1", "--output=/dev/null", file.string()};
  const Outcome done = test::run(submit);
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  for (const char* tag : {"tiles-1", "tiles-2"})
    EXPECT_EQ(repository_.line("rev-parse", std::string("autokernel/") + tag).size(), 40U);
}

}  // namespace
}  // namespace autokernel::test
