// `loop run`: an agent as a real process, with a list of edits and misdeeds.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "e2e/loop_workplace.h"
#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LoopAgent : public LoopWorkplace {
 protected:
  LoopAgent() {
    fs::create_directories(script());
    start();
  }

  // The agent's edit, and idea, in its Nth turn.
  void turn(int number, const std::string& source, const std::string& idea = "") const {
    write(number, ".cu", source);
    if (!idea.empty()) write(number, ".idea", idea + "\n");
  }
  // What it does besides.
  void misdeed(int number, const std::string& commands) const {
    write(number, ".sh", commands + "\n");
  }
  [[nodiscard]] std::string brief(int number) const {
    return contents(script() / (std::to_string(number) + ".brief"));
  }
  [[nodiscard]] std::string agent() const {
    return "'" AUTOKERNEL_SOURCES "/tests/support/scripted_agent.sh' '" + script().string() + "'";
  }
  [[nodiscard]] Invocation driven(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"loop", "run", "--agent", agent()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return autokernel(arguments);
  }
  [[nodiscard]] Outcome drive(const std::vector<std::string>& more) const {
    return test::run(driven(more));
  }
  [[nodiscard]] fs::path script() const { return repository_.beside("script"); }
  [[nodiscard]] std::string turns() const { return contents(script() / "turns"); }
  // The drive reached its budget of one experiment, which was this one, and left nothing behind.
  void expect_one_experiment(const Outcome& run, const std::string& row) const {
    EXPECT_EQ(run.code, 20) << run.out << run.err;
    EXPECT_THAT(rows(), ElementsAre("keep baseline", row));
    EXPECT_EQ(repository_.line("symbolic-ref", "HEAD"), "refs/heads/autokernel/demo");
    EXPECT_EQ(repository_.git("status", "--porcelain"), "?? results.tsv\n");
    expect_nothing_left();
  }

 private:
  void write(int number, const std::string& kind, const std::string& bytes) const {
    repository_.write(script() / (std::to_string(number) + kind), bytes);
  }
};

TEST_F(LoopAgent, IsBriefedEditsAndIsTriedUntilTheBudgetIsUsedUp) {
  turn(1, kernel(kFaster), "a tenth of the rounds");
  turn(2, wrong_kernel());
  misdeed(2, "echo thinking; echo 'IDEA: three times x'; echo done");
  turn(3, kernel(kFastest), "never comes");
  const Outcome run = drive({"--max-runs", "2"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(),
              ElementsAre("keep baseline", "keep a tenth of the rounds", "crash three times x"));
  expect_at(experiment(1));
  EXPECT_EQ(turns(), "2\n");
  EXPECT_THAT(run.err, HasSubstr("stopped after 2 experiments: --max-runs was reached\n"));
  EXPECT_EQ(value_of("experiments", run.out), "2 (1 kept, 0 discarded, 1 failed)");
  EXPECT_THAT(brief(1),
              AllOf(HasSubstr("Make `kernels/kernel.cu` faster"), HasSubstr("0 experiments")));
  EXPECT_THAT(brief(2), HasSubstr("- 1: a tenth of the rounds. **kept**"));
  expect_nothing_left();
}

TEST_F(LoopAgent, StopsWhereNothingWasGainedForSoLong) {
  turn(1, kernel(10 * kSlow), "slower");
  turn(2, wrong_kernel(), "wrong");
  turn(3, kernel(kFaster), "never comes");
  const Outcome run = drive({"--no-progress", "2"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("2 experiments in a row without a gain"));
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "discard slower", "crash wrong"));
  expect_at(experiment(0));
}

TEST_F(LoopAgent, StopsWhenItsHoursAreOver) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "sleep 3");
  const Outcome run = drive({"--hours", "0.0008"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("0.0008 hours have passed"));
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash wrong"));
}

TEST_F(LoopAgent, IsGivenUpWhenItEditsNothingFiveTimesInARow) {
  const Outcome run = drive({});
  EXPECT_EQ(run.code, 3) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("5 turns of the agent in a row led to no experiment"));
  EXPECT_EQ(turns(), "5\n");
  EXPECT_THAT(brief(2), HasSubstr("kernels/kernel.cu was not edited"));
  const std::vector<json> recorded = entries("turn");
  ASSERT_EQ(recorded.size(), 5U);
  EXPECT_EQ(recorded[0].at("outcome"), "no edit");
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
  expect_at(experiment(0));
  expect_nothing_left();
}

TEST_F(LoopAgent, ThatEditsAnotherFileHasItTakenBackAndKeptAside) {
  misdeed(1, "echo '# easier' >>kernels/case.toml; mkdir -p new/deep; echo x >new/deep/file");
  turn(2, wrong_kernel(), "wrong");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_THAT(run.err, AllOf(HasSubstr("The agent changed other files"),
                             HasSubstr(".autokernel/aside/turn-1/kernels/case.toml")));
  EXPECT_THAT(repository_.read(".autokernel/aside/turn-1/kernels/case.toml"),
              HasSubstr("# easier"));
  EXPECT_EQ(repository_.read(".autokernel/aside/turn-1/new/deep/file"), "x\n");
  EXPECT_FALSE(fs::exists(repository_.root() / "new"));
  EXPECT_EQ(entries("turn").at(0).at("outcome"), "other files");
  EXPECT_THAT(brief(2), HasSubstr("The agent changed other files, which were restored"));
}

TEST_F(LoopAgent, ThatRewritesTheResultsHasThemMadeAgain) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, R"(printf 'abcdef0\t1.000\t9.00\tkeep\ta record\n' >>results.tsv)");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_THAT(run.err, HasSubstr(".autokernel/aside/turn-1/results.tsv"));
  EXPECT_THAT(repository_.read(".autokernel/aside/turn-1/results.tsv"), HasSubstr("a record"));
}

TEST_F(LoopAgent, ThatEditsTheLedgerEndsTheDrive) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1,
          "sed -i 's/\"description\":\"baseline\"/\"description\":\"Baseline\"/' "
          ".autokernel/ledger.jsonl");
  const Outcome run = drive({"--max-runs", "1"});
  EXPECT_EQ(run.code, 15) << run.out << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the last entry of the run in the ledger was edited"),
                             HasSubstr("'cp ")));
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
  EXPECT_EQ(kernel_now(), wrong_kernel());
}

TEST_F(LoopAgent, ThatDeletesTheCaseHasItPutBack) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "rm kernels/case.toml");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_THAT(run.err, HasSubstr("kernels/case.toml (deleted)"));
}

TEST_F(LoopAgent, ThatFailsIsNamedWithHowItEnded) {
  misdeed(1, "echo no credit left; exit 7");
  turn(2, wrong_kernel(), "wrong");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_THAT(run.err, HasSubstr("failed: it ended with exit code 7 and edited nothing; its last "
                                 "line: no credit left\n"));
  EXPECT_EQ(entries("turn").at(0).at("outcome"), "failed");
}

TEST_F(LoopAgent, ThatIsNoProgramIsGivenUpWithItsOutputNamed) {
  const Outcome run = run_autokernel({"loop", "run", "--agent", "no-such-agent"});
  EXPECT_EQ(run.code, 3) << run.out << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("exit code 127"),
                             HasSubstr("no-such-agent: not found; its output is "
                                       "in .autokernel"),
                             HasSubstr("agent-1.log")));
  EXPECT_THAT(repository_.read(".autokernel/runs/demo/agent-1.log"), HasSubstr("no-such-agent"));
}

TEST_F(LoopAgent, ThatHangsIsEndedAndItsEditKept) {
  turn(1, kernel(kFaster));
  misdeed(1, "sleep 1000");
  turn(2, wrong_kernel(), "wrong");
  const Outcome run = drive({"--max-runs", "1", "--agent-timeout", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_THAT(run.err, AllOf(HasSubstr("timed out: did not end within 1 s"),
                             HasSubstr(".autokernel/aside/1-kernel.cu")));
  EXPECT_EQ(repository_.read(".autokernel/aside/1-kernel.cu"), kernel(kFaster));
}

TEST_F(LoopAgent, ThatLeavesAProcessHasItEnded) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "setsid sleep 1000 & setsid sleep 1000 >/dev/null 2>&1 &");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_THAT(run.err, HasSubstr("The agent left processes running (2); they were ended"));
}

TEST_F(LoopAgent, ThatFloodsItsOutputIsNamedAndFillsNoDisk) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "echo first words; yes | head -c 40000000; echo last words");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_THAT(run.err, HasSubstr("The agent wrote 38 MB"));
  const std::string kept = repository_.read(".autokernel/runs/demo/agent-1.log");
  EXPECT_LT(kept.size(), 2U << 20U);
  EXPECT_THAT(kept, AllOf(HasSubstr("first words"), HasSubstr("last words")));
}

TEST_F(LoopAgent, ThatCommitsByItselfHasItsEditTriedAllTheSame) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "echo x >mine; git add -A; git commit --quiet -m mine; git rev-parse HEAD >'" +
                 script().string() + "/commit'");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  const std::string stray = contents(script() / "commit").substr(0, 40);
  EXPECT_THAT(run.err, HasSubstr("The agent moved the branch to " + stray.substr(0, 7)));
  EXPECT_EQ(repository_.line("rev-parse", "refs/autokernel-strays/demo/" + stray.substr(0, 12)),
            stray);
  EXPECT_FALSE(fs::exists(repository_.root() / "mine"));
}

TEST_F(LoopAgent, ThatSwitchesTheBranchIsTakenBackToTheRuns) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1,
          "git switch --quiet --create other; echo x >mine; git rm --quiet kernels/reference.cu; "
          "git add -A; git commit --quiet -m mine");
  const Outcome run = drive({"--max-runs", "1"});
  expect_one_experiment(run, "crash wrong");
  EXPECT_EQ(repository_.line("log", "-1", "--format=%s", "other"), "mine");
  EXPECT_FALSE(fs::exists(repository_.root() / "mine"));
  EXPECT_TRUE(fs::exists(repository_.root() / "kernels/reference.cu"));
}

TEST_F(LoopAgent, ThatDetachesTheHeadIsTakenBackToTheRun) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "git checkout --quiet --detach");
  expect_one_experiment(drive({"--max-runs", "1"}), "crash wrong");
}

TEST_F(LoopAgent, ThatLeavesAMergeInTheMiddleIsTakenBackToTheRun) {
  repository_.git("switch", "--quiet", "--create", "other");
  repository_.write("kernels/reference.cu", "theirs\n");
  repository_.git("commit", "--quiet", "-a", "-m", "theirs");
  repository_.git("switch", "--quiet", "autokernel/demo");
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "git merge --quiet --no-commit --no-ff other || true");
  expect_one_experiment(drive({"--max-runs", "1"}), "crash wrong");
}

TEST_F(LoopAgent, ThatCleansEverythingAwayLosesNoExperiment) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(2, "git clean --quiet -fdx");
  turn(3, kernel(10 * kSlow), "slower");
  const Outcome run = drive({"--max-runs", "2"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("ledger.jsonl was removed, and was restored"));
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash wrong", "discard slower"));
  EXPECT_EQ(entries("experiment").size(), 3U);
  EXPECT_EQ(entries("run_started").size(), 1U);
  expect_at(experiment(0));
  expect_nothing_left();
}

TEST_F(LoopAgent, ThatRemovesTheKernelHasItPutBack) {
  misdeed(1, "rm \"$AUTOKERNEL_KERNEL\"");
  misdeed(2, "ln -sf /dev/null \"$AUTOKERNEL_KERNEL\"");
  turn(3, wrong_kernel(), "wrong");
  expect_one_experiment(drive({"--max-runs", "1"}), "crash wrong");
  EXPECT_EQ(entries("turn").at(0).at("outcome"), "no kernel");
  EXPECT_EQ(entries("turn").at(1).at("outcome"), "no kernel");
}

TEST_F(LoopAgent, ThatLeavesALockOfGitsHasItRemoved) {
  turn(1, wrong_kernel(), "wrong");
  misdeed(1, "touch .git/index.lock");
  expect_one_experiment(drive({"--max-runs", "1"}), "crash wrong");
}

TEST_F(LoopAgent, ThatTriesWhatWasTriedIsToldSo) {
  turn(1, wrong_kernel(), "wrong");
  turn(2, wrong_kernel(), "wrong again");
  turn(3, kernel(10 * kSlow), "slower");
  const Outcome run = drive({"--max-runs", "2"});
  EXPECT_EQ(run.code, 20) << run.out << run.err;
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash wrong", "discard slower"));
  EXPECT_EQ(entries("turn").at(0).at("outcome"), "tried before");
  EXPECT_THAT(brief(3), HasSubstr("this source was tried before: experiment 1"));
  expect_at(experiment(0));
}

TEST_F(LoopAgent, IsEndedByCtrlCWithItsEditKept) {
  turn(1, kernel(kFaster));
  misdeed(1, "sleep 1000");
  RunningProgram program(driven({}));
  wait_for([&] { return kernel_now() == kernel(kFaster); });
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{60});
  EXPECT_EQ(run.code, 130) << run.out << run.err;
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
  EXPECT_EQ(repository_.read(".autokernel/aside/1-kernel.cu"), kernel(kFaster));
  expect_at(experiment(0));
  expect_nothing_left();
}

TEST_F(LoopAgent, FinishesItsStepAfterCtrlC) {
  turn(1, endless_kernel(), "never end");
  turn(2, kernel(kFaster), "never comes");
  RunningProgram program(driven({"--timeout", "2", "--verbose"}));
  wait_for([&] { return program.err_so_far().find("entered phase check") != std::string::npos; });
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{60});
  EXPECT_EQ(run.code, 130) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("stopping after this step"));
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash never end"));
  EXPECT_EQ(entries("experiment").at(1).at("verdict"), "timed out");
  expect_at(experiment(0));
  expect_nothing_left();
}

TEST_F(LoopAgent, GivesItsStepUpAtTheSecondCtrlC) {
  turn(1, endless_kernel(), "never end");
  RunningProgram program(driven({"--verbose"}));
  wait_for([&] { return program.err_so_far().find("entered phase check") != std::string::npos; });
  program.send(SIGINT);
  wait_for(
      [&] { return program.err_so_far().find("stopping after this step") != std::string::npos; });
  program.send(SIGINT);
  const Outcome run = program.wait(seconds{20});
  EXPECT_EQ(run.code, 130) << run.out << run.err;
  EXPECT_EQ(entries("experiment").at(1).at("verdict"), "interrupted");
  expect_at(experiment(0));
  expect_nothing_left();
}

TEST_F(LoopAgent, NeedsARunOnThisBranch) {
  repository_.git("switch", "--quiet", "main");
  const Outcome run = drive({});
  EXPECT_EQ(run.code, 4);
  EXPECT_THAT(run.err, HasSubstr("no run on main"));
  EXPECT_FALSE(fs::exists(script() / "turns"));
}

}  // namespace
}  // namespace autokernel::test
