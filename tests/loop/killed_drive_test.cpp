// A drive that is killed at any moment, while its agent works as well as in a step: the next
// command ends what the agent has left running, and the run goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include "autokernel/loop/drive.h"
#include "loop/consistency.h"
#include "loop/workplace.h"
#include "support/census.h"
#include "support/full_test.h"

namespace autokernel::loop {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Contains;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Longer than some turns and their steps, with the quarter of a second for which a drive listens to
// an agent that has ended and whose output somebody still holds open.
constexpr milliseconds kLongestDrive{2000};

// AUTOKERNEL_TEST_FULL=1: all of them.
int kills() { return test::everything_is_wanted() ? 100 : 12; }

// The times of one seed, so that a failure can be had again as far as the machine allows.
constexpr unsigned kSeed = 20'240;

// It leaves two processes that are in no group of its own, and edits; none of its sources is like
// another, whenever it is killed.
constexpr const char* kAgent =
    "setsid sleep 1000 & (setsid sh -c 'sleep 1000; true' &)\n"
    "n=$(cat \"$HOME/n\" 2>/dev/null || echo 0); n=$((n + 1))\n"
    "echo $n > \"$HOME/next\"; mv \"$HOME/next\" \"$HOME/n\"\n"
    "echo \"constexpr float time_us = 0.$((999 - n));\" > \"$AUTOKERNEL_KERNEL\"\n";

class KilledDrive : public testing::Test {
 protected:
  KilledDrive() { workplace_.start(); }

  // In a process of its own, until it is killed.
  [[nodiscard]] pid_t begin_drive(const std::string& agent) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
      DriveOptions options;
      options.agent = agent;
      Loop loop = workplace_.open("autokernel loop run");
      static_cast<void>(loop.drive(options, {}));
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
    }
    ::_exit(0);
  }
  static void kill_drive(pid_t drive) {
    ASSERT_EQ(::kill(drive, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(drive, &status, 0), drive);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
  }
  // With an agent that works for ever, and has three processes by now.
  void kill_drive_at_work() const {
    const pid_t drive = begin_drive(std::string(kAgent) + R"(touch "$HOME/ready"; sleep 1000)");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!std::filesystem::exists(workplace_.git().beside("home") / "ready") &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{5});
    }
    kill_drive(drive);
  }
  [[nodiscard]] std::string marker() const { return workplace_.root().parent_path().string(); }

  const Workplace workplace_;
};

TEST_F(KilledDrive, LeavesProcessesOfItsAgentThatTheNextCommandEnds) {
  kill_drive_at_work();
  EXPECT_THAT(test::processes_marked(marker()), Not(IsEmpty()));
  workplace_.repair();
  EXPECT_THAT(test::processes_still_marked(marker()), IsEmpty());
  EXPECT_THAT(workplace_.said(),
              Contains(AllOf(HasSubstr("the agent of a killed 'loop run'"), HasSubstr("ended"))));
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

TEST_F(KilledDrive, LeavesThemToBeEndedByWhoeverOnlyLooks) {
  kill_drive_at_work();
  EXPECT_THAT(workplace_.status().under_way, IsEmpty());
  EXPECT_THAT(test::processes_still_marked(marker()), IsEmpty());
}

TEST_F(KilledDrive, IsSpokenOfOnce) {
  kill_drive_at_work();
  workplace_.repair();
  workplace_.repair();
  EXPECT_THAT(workplace_.said(), SizeIs(1));
}

// What it runs for itself is not what a killed drive left.
TEST_F(KilledDrive, IsNoReasonToEndTheAgentThatLooksAround) {
  DriveOptions options;
  options.budget.max_runs = 1;
  options.agent = std::string(kAgent) + R"(touch "$HOME/ready"; sleep 0.5; touch "$HOME/done")";
  const pid_t looking = ::fork();
  if (looking == 0) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!std::filesystem::exists(workplace_.git().beside("home") / "ready") &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{5});
    }
    ::_exit(workplace_.status().under_way.empty() ? 0 : 1);
  }
  Loop loop = workplace_.open("autokernel loop run");
  static_cast<void>(loop.drive(options, {}));
  int status = 0;
  ASSERT_EQ(::waitpid(looking, &status, 0), looking);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(workplace_.git().beside("home") / "done"));
}

TEST_F(KilledDrive, AtAnyMomentLosesNothingAndTheRunGoesOn) {
  std::minstd_rand random(kSeed);
  std::uniform_int_distribution<int> moment(0, static_cast<int>(kLongestDrive.count()));
  for (int i = 1; i <= kills(); ++i) {
    const pid_t drive = begin_drive(kAgent);
    std::this_thread::sleep_for(milliseconds{moment(random)});
    ASSERT_NO_FATAL_FAILURE(kill_drive(drive)) << "at kill " << i;
    workplace_.repair();
    ASSERT_THAT(test::processes_still_marked(marker()), IsEmpty()) << "after kill " << i;
    ASSERT_THAT(faults_in(workplace_.git(), Fsck::no), IsEmpty()) << "after kill " << i;
  }
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
  EXPECT_THAT(workplace_.status().experiments, SizeIs(Gt(2U)));
  std::cout << kills() << " kills, " << workplace_.status().experiments.size() << " experiments\n";
}

}  // namespace
}  // namespace autokernel::loop
