// An agent that is driven: what it does well becomes experiments, what it should not do is taken
// back, kept aside, counted and named.
#include "autokernel/loop/drive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Writes the source of the next number's kernel, faster each time.
constexpr const char* kCountsDown =
    "n=$(cat \"$HOME/n\" 2>/dev/null || echo 10); n=$((n - 1)); echo $n > \"$HOME/n\"\n"
    "echo \"constexpr float time_us = ${n}0;\" > \"$AUTOKERNEL_KERNEL\"\n";

class Driving : public testing::Test {
 protected:
  Driving() {
    workplace_.start();
    options_.budget.max_runs = 1;
  }
  [[nodiscard]] Driven drive(const std::string& agent) {
    options_.agent = agent;
    DriveObserver observer;
    observer.stepped = [&](const Step& step) { steps_.push_back(step.experiment); };
    observer.in_vain = [&](const ledger::Turn& turn) { turns_.push_back(turn); };
    Loop loop = workplace_.open("autokernel loop run");
    return loop.drive(options_, observer);
  }
  // The same for what is left afterwards.
  void drive_on(const std::string& agent) { static_cast<void>(drive(agent)); }
  // The drive of an agent that gets nowhere; why it was given up.
  std::string drive_in_vain(const std::string& agent) {
    const Driven driven = drive(agent);
    EXPECT_TRUE(driven.gave_up);
    return driven.why;
  }
  [[nodiscard]] std::vector<std::string> outcomes() const {
    std::vector<std::string> outcomes;
    outcomes.reserve(turns_.size());
    for (const ledger::Turn& turn : turns_) outcomes.push_back(turn.outcome);
    return outcomes;
  }
  // Does this in its first turn and a sound edit in its second.
  [[nodiscard]] static std::string first(const std::string& misdeed) {
    return "if [ -e \"$HOME/again\" ]; then\n" + std::string(kCountsDown) +
           "exit; fi; touch \"$HOME/again\"\n" + misdeed;
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
  DriveOptions options_;
  std::vector<ledger::Experiment> steps_;
  std::vector<ledger::Turn> turns_;
};

TEST_F(Driving, MakesAnExperimentOfEachTurn) {
  options_.budget.max_runs = 3;
  const Driven driven = drive(std::string(kCountsDown) + "echo IDEA: number $n");
  EXPECT_EQ(driven.experiments, 3);
  EXPECT_EQ(driven.turns_in_vain, 0);
  EXPECT_EQ(driven.why, "--max-runs was reached");
  ASSERT_THAT(steps_, SizeIs(3));
  EXPECT_EQ(steps_[2].description, "number 7");
  EXPECT_EQ(steps_[2].verdict, "kept");
  EXPECT_EQ(workplace_.edited(), "constexpr float time_us = 70;\n");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, GivesTheBriefOnStandardInputAndInAFile) {
  drive_on(std::string(kCountsDown) +
           "cat > \"$HOME/read\"; cmp \"$HOME/read\" \"$AUTOKERNEL_BRIEF\" && echo the same > "
           "\"$AUTOKERNEL_IDEA_FILE\"");
  EXPECT_EQ(steps_.at(0).description, "the same");
}

TEST_F(Driving, StopsWithoutProgress) {
  options_.budget = {};
  options_.budget.no_progress = 2;
  const Driven driven = drive(
      "n=$(cat \"$HOME/n\" 2>/dev/null || echo 100); n=$((n + 1)); echo $n > \"$HOME/n\"\n"
      "echo \"constexpr float time_us = $n;\" > \"$AUTOKERNEL_KERNEL\"");
  EXPECT_EQ(driven.experiments, 2);
  EXPECT_EQ(driven.why, "2 experiments in a row without a gain");
}

TEST_F(Driving, StopsWhenItsTimeIsOver) {
  options_.budget.hours = 0;
  EXPECT_EQ(drive("echo never").why, "0 hours have passed");
}

TEST_F(Driving, KeepsToTheRunsOwnBudget) {
  git_.git("checkout", "--quiet", "main");
  StartOptions start = workplace_.start_options("small");
  start.budget.max_runs = 1;
  static_cast<void>(workplace_.open().start(start));
  options_.budget = {};
  EXPECT_EQ(drive(kCountsDown).why, "all 1 experiments were made");
}

TEST_F(Driving, AnAgentThatNeverEditsIsGivenUpAfterFiveTurns) {
  EXPECT_THAT(drive_in_vain("echo I have no idea"),
              AllOf(HasSubstr("5 turns"), HasSubstr("was not edited"), HasSubstr("agent-1.log")));
  EXPECT_EQ(outcomes(), std::vector<std::string>(5, "no edit"));
  EXPECT_EQ(git_.read(".autokernel/runs/demo/agent-1.log"), "I have no idea\n");
  EXPECT_EQ(workplace_.status().turns_in_vain, 5);
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, AnAgentThatFailsIsNamed) {
  EXPECT_THAT(drive_in_vain("exit 7"), HasSubstr("exit code 7"));
  EXPECT_EQ(outcomes(), std::vector<std::string>(5, "failed"));
}

TEST_F(Driving, AMisdeedIsSaidOnce) {
  drive_on(first("echo other > notes.txt"));
  EXPECT_THAT(turns_.at(0).reason, "kernels/kernel.cu was not edited");
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("The agent changed other files")).Times(1));
}

TEST_F(Driving, AStashThatTheAgentLeavesIsSaid) {
  drive_on("echo other > notes.txt; git stash -q\n" + std::string(kCountsDown));
  EXPECT_THAT(workplace_.said(), Contains("the agent has changed git's stashes: 'git stash list' "
                                          "shows them"));
}

TEST_F(Driving, AStashOfTheUsersThatTheAgentDropsIsNamed) {
  git_.write("notes.txt", "the user's\n");
  git_.git("stash", "push", "-q");
  const std::string stash = git_.line("rev-parse", "refs/stash");
  drive_on("git stash drop -q\n" + std::string(kCountsDown));
  EXPECT_THAT(workplace_.said(),
              Contains(HasSubstr("'git stash store " + stash + "' restores what was")));
}

TEST_F(Driving, AnEditOfAnAgentThatFailsAfterwardsCounts) {
  EXPECT_EQ(drive(std::string(kCountsDown) + "exit 1").experiments, 1);
}

TEST_F(Driving, AnAgentThatHangsIsEndedAndItsEditKeptAside) {
  options_.agent_seconds = 0.4;
  const Driven driven = drive(first("echo unfinished > \"$AUTOKERNEL_KERNEL\"; sleep 100"));
  EXPECT_EQ(driven.experiments, 1);
  EXPECT_THAT(outcomes(), ElementsAre("timed out"));
  EXPECT_EQ(git_.read(".autokernel/aside/1-kernel.cu"), "unfinished\n");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, ASourceThatWasTriedBeforeCostsATurn) {
  workplace_.try_out(kernel(120));
  const Driven driven =
      drive(first("echo 'constexpr float time_us = 120;' > "
                  "\"$AUTOKERNEL_KERNEL\""));
  EXPECT_EQ(driven.experiments, 1);
  EXPECT_THAT(outcomes(), ElementsAre("tried before"));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, OtherFilesAreTakenBackAndKeptAside) {
  drive_on(first("echo easier >> kernels/case.toml; echo new > new.txt; rm notes.txt"));
  EXPECT_THAT(outcomes(), ElementsAre("other files"));
  EXPECT_THAT(turns_.at(0).aside, SizeIs(3));
  EXPECT_THAT(git_.read(".autokernel/aside/turn-1/kernels/case.toml"), HasSubstr("easier"));
  EXPECT_EQ(git_.read(".autokernel/aside/turn-1/new.txt"), "new\n");
  EXPECT_EQ(git_.read("notes.txt"), "notes\n");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, WhatTheUserDidBetweenTwoDrivesStays) {
  drive_on(kCountsDown);
  git_.write("mine.txt", "the user's\n");
  git_.write("notes.txt", "the user's notes\n");
  drive_on(kCountsDown);
  EXPECT_EQ(git_.read("mine.txt"), "the user's\n");
  EXPECT_EQ(git_.read("notes.txt"), "the user's notes\n");
  EXPECT_THAT(workplace_.said(), Not(Contains(HasSubstr("The agent changed"))));
  // And is put back where an agent touches it then.
  drive_on("echo other > mine.txt; echo other > notes.txt\n" + std::string(kCountsDown));
  EXPECT_EQ(git_.read("mine.txt"), "the user's\n");
  EXPECT_EQ(git_.read("notes.txt"), "the user's notes\n");
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("The agent changed other files")));
}

TEST_F(Driving, ACaseThatTheUserChangedBetweenTwoDrivesStopsTheSecond) {
  drive_on(kCountsDown);
  const std::string before = git_.read("kernels/case.toml");
  git_.write("kernels/case.toml", before + "# easier\n");
  const std::string refused = refusal(Stop::scope, [&] { static_cast<void>(drive(kCountsDown)); });
  EXPECT_THAT(refused, HasSubstr("kernels/case.toml (modified)"));
  EXPECT_EQ(git_.read("kernels/case.toml"), before + "# easier\n");
}

TEST_F(Driving, AFileThatIsPutBackCanBeRunAsBefore) {
  git_.write("tool.sh", "#!/bin/sh\n");
  fs::permissions(git_.root() / "tool.sh", fs::perms::owner_all);
  drive_on(kCountsDown);
  drive_on("echo other >> tool.sh\n" + std::string(kCountsDown));
  EXPECT_EQ(git_.read("tool.sh"), "#!/bin/sh\n");
  EXPECT_EQ(fs::status(git_.root() / "tool.sh").permissions(), fs::perms::owner_all);
}

TEST_F(Driving, AnEditIsAnExperimentThoughOtherFilesWereTakenBack) {
  const Driven driven = drive(std::string(kCountsDown) + "echo new > new.txt");
  EXPECT_EQ(driven.experiments, 1);
  EXPECT_FALSE(workplace_.has("new.txt"));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, TheNextBriefTellsOfTheMisdeed) {
  drive_on("cat > \"$HOME/brief-$(ls \"$HOME\" | grep -c brief)\"\n" + first("echo new > new.txt"));
  EXPECT_THAT(test::contents(git_.beside("home") / "brief-1"),
              AllOf(HasSubstr("## Your last turn"), HasSubstr("changed other files")));
}

TEST_F(Driving, FilesThatWereStagedAreTakenBack) {
  drive_on(
      first("echo new > new.txt; echo more >> notes.txt; git add -A; git rm -q "
            "kernels/reference.cu"));
  EXPECT_EQ(git_.read("notes.txt"), "notes\n");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, CommitsOfTheAgentsAreTakenBackAndKept) {
  drive_on(first("echo new > new.txt; echo more >> notes.txt; git add -A; git commit -qm theirs"));
  EXPECT_EQ(git_.line("log", "-1", "--format=%s", "--glob=refs/autokernel-strays/*"), "theirs");
  EXPECT_EQ(git_.read("notes.txt"), "notes\n");
  EXPECT_FALSE(workplace_.has("new.txt"));
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("moved the branch")));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, AnEditThatTheAgentCommittedItselfIsAnExperiment) {
  EXPECT_EQ(drive(std::string(kCountsDown) + "git commit -qam theirs").experiments, 1);
  EXPECT_EQ(steps_.at(0).verdict, "kept");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, AHeadThatWasDetachedIsPutBack) {
  drive_on(first("git checkout -q --detach"));
  EXPECT_EQ(git_.line("symbolic-ref", "--short", "HEAD"), "autokernel/demo");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, AnotherBranchIsLeftAgain) {
  drive_on(first("git checkout -q main"));
  EXPECT_EQ(git_.line("symbolic-ref", "--short", "HEAD"), "autokernel/demo");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, AKernelThatWasRemovedIsPutBack) {
  drive_on(first("rm \"$AUTOKERNEL_KERNEL\""));
  EXPECT_THAT(outcomes(), ElementsAre("no kernel"));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, AKernelThatBecameALinkIsPutBack) {
  drive_on(first("ln -sf /etc/passwd \"$AUTOKERNEL_KERNEL\""));
  EXPECT_THAT(outcomes(), ElementsAre("no kernel"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(workplace_.root() / Workplace::kEditable)));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, ProcessesThatAreLeftAreEndedAndNamed) {
  drive_on(std::string(kCountsDown) + "setsid sleep 100 >/dev/null 2>&1 &");
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("left processes running (1)")));
}

TEST_F(Driving, AFloodIsNamed) {
  drive_on(std::string(kCountsDown) + "head -c 30000000 /dev/zero");
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("wrote 28 MB")));
}

TEST_F(Driving, ASignalEndsTheAgentAndKeepsItsEditAside) {
  const Driven driven = drive("echo unfinished > \"$AUTOKERNEL_KERNEL\"; kill -INT " +
                              std::to_string(::getpid()) + "; sleep 100");
  EXPECT_EQ(driven.signal, SIGINT);
  EXPECT_EQ(driven.why, "interrupted");
  EXPECT_EQ(git_.read(".autokernel/aside/1-kernel.cu"), "unfinished\n");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, ASignalDuringAStepLetsItEnd) {
  options_.budget = {};
  workplace_.note = [](const std::string& line) {
    if (line.find("phase check") != std::string::npos) ::kill(::getpid(), SIGTERM);
  };
  const Driven driven =
      drive("echo 'constexpr float time_us = 120; SLOW' > \"$AUTOKERNEL_KERNEL\"");
  EXPECT_EQ(driven.experiments, 1);
  EXPECT_EQ(driven.signal, SIGTERM);
  EXPECT_EQ(steps_.at(0).verdict, "not faster");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(Driving, ASignalToTheLoopAfterwardsIsNotForTheDriver) {
  bool is_driven = true;
  // Counted from the trial on: before it, the signal would end the test.
  workplace_.reached = [&](std::string_view point) {
    if (!is_driven && point == "referenced") ::ualarm(100'000, 0);
  };
  Loop loop = workplace_.open();
  options_.agent = kCountsDown;
  static_cast<void>(loop.drive(options_, {}));
  is_driven = false;
  workplace_.edit(kernel(5, "SLOW"));
  ::signal(SIGALRM, [](int) { ::kill(::getpid(), SIGTERM); });
  EXPECT_THROW(static_cast<void>(loop.step({.idea = "an idea"})), Interrupted);
}

TEST_F(Driving, KilledWhileTidyingUpLeavesNoLock) {
  workplace_.reached = [&](std::string_view point) {
    if (point != "tidying up") return;
    git_.write(".git/index.lock", "");
    ::raise(SIGKILL);
  };
  EXPECT_EQ(in_a_process([&] { drive_on("true"); }), 128 + SIGKILL);
  workplace_.reached = nullptr;
  workplace_.repair();
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

// What the user had changed before the run is the user's.
TEST(DrivingOverUnsavedFiles, PutsThemBackAsTheyWere) {
  const Workplace workplace;
  const test::ScratchRepository& git = workplace.git();
  git.write("gone.txt", "to be removed\n");
  git.commit("one more file");
  git.write("notes.txt", "unsaved\n");
  git.write("mine.txt", "unknown to git\n");
  fs::remove(workplace.root() / "gone.txt");
  git.write("folder/mine.txt", "in a folder\n");
  workplace.start();
  Loop loop = workplace.open();
  DriveOptions options;
  options.budget.max_runs = 1;
  options.agent = std::string("git checkout -q -- notes.txt gone.txt\n") +
                  "echo x > mine.txt; git add folder mine.txt\n" + kCountsDown;
  EXPECT_EQ(loop.drive(options, {}).experiments, 1);
  EXPECT_EQ(git.read("notes.txt"), "unsaved\n");
  EXPECT_EQ(git.read("mine.txt"), "unknown to git\n");
  EXPECT_EQ(git.read("folder/mine.txt"), "in a folder\n");
  EXPECT_FALSE(workplace.has("gone.txt"));
}

}  // namespace
}  // namespace autokernel::loop
