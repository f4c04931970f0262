// What is staged is the user's: an agent's turn leaves git's index as it was, also where the drive
// is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>

#include "autokernel/loop/drive.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kKept = ".git/autokernel-index";

class TurnIndex : public testing::Test {
 protected:
  // The user has staged one thing of a file and has another in the worktree.
  TurnIndex() {
    git_.write("notes.txt", "staged\n");
    git_.write("added.txt", "added\n");
    git_.git("add", "notes.txt", "added.txt");
    git_.write("notes.txt", "not staged\n");
    workplace_.start();
    staged_ = staged();
  }
  // What is staged, and what is not.
  [[nodiscard]] std::string staged() const {
    return git_.git("diff", "--cached") + "----\n" + git_.git("diff", "--", "notes.txt");
  }
  [[nodiscard]] int drive_on(const std::string& agent) const {
    DriveOptions options;
    options.budget.max_runs = 1;
    options.agent = agent;
    Loop loop = workplace_.open("autokernel loop run");
    return loop.drive(options, {}).experiments;
  }
  // Kills the drive where it reaches the point.
  void kill_at(const std::string& point, const std::string& agent) {
    workplace_.reached = [point](std::string_view reached) {
      if (reached == point) ::raise(SIGKILL);
    };
    EXPECT_EQ(in_a_process([&] { static_cast<void>(drive_on(agent)); }), 128 + SIGKILL);
    workplace_.reached = {};
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
  std::string staged_;
};

constexpr const char* kEdit = "echo 'constexpr float time_us = 80;' > \"$AUTOKERNEL_KERNEL\"\n";
// What keeps the blobs, and then they themselves.
constexpr const char* kDropReference =
    "git update-ref -d $(git for-each-ref --format='%(refname)' refs/autokernel-index)\n"
    "git gc -q --prune=now\n";
constexpr const char* kStageAll = "echo new > new.txt; git add -A\n";

TEST_F(TurnIndex, IsAsItWasAfterAnAgentThatStagesEverything) {
  EXPECT_EQ(drive_on(std::string(kEdit) + kStageAll), 1);
  EXPECT_EQ(staged(), staged_);
  EXPECT_FALSE(workplace_.has(kKept));
}

TEST_F(TurnIndex, IsAsItWasAfterAnAgentThatUnstagesEverything) {
  EXPECT_EQ(drive_on(std::string(kEdit) + "git reset -q\n"), 1);
  EXPECT_EQ(staged(), staged_);
}

TEST_F(TurnIndex, IsAsItWasAfterAnAgentThatCommitsEverything) {
  EXPECT_EQ(drive_on(std::string(kEdit) + kStageAll + "git commit -qm 'all of it'\n"), 1);
  EXPECT_EQ(staged(), staged_);
}

TEST_F(TurnIndex, IsAsItWasAfterAnAgentThatTakesFilesOut) {
  EXPECT_EQ(drive_on(std::string(kEdit) + "git rm -q --cached notes.txt; git rm -qf added.txt\n"),
            1);
  EXPECT_EQ(staged(), staged_);
  EXPECT_EQ(git_.read("added.txt"), "added\n");
}

TEST_F(TurnIndex, IsAsItWasAfterAnAgentThatEmptiesIt) {
  EXPECT_EQ(drive_on(std::string(kEdit) + "rm .git/index\n"), 1);
  EXPECT_EQ(staged(), staged_);
}

// As a drive leaves it that is killed while it writes the reference.
TEST_F(TurnIndex, IsAsItWasAfterALockOfItsReferenceThatNobodyHolds) {
  const std::string lock =
      "touch .git/$(git for-each-ref --format='%(refname)' refs/autokernel-index).lock\n";
  EXPECT_EQ(drive_on(std::string(kEdit) + lock), 1);
  EXPECT_EQ(staged(), staged_);
  EXPECT_FALSE(workplace_.has(kKept));
  EXPECT_THAT(git_.git("for-each-ref", "refs/autokernel-index"), IsEmpty());
}

TEST_F(TurnIndex, IsAsItWasAfterAnAgentThatRemovesTheFileItIsKeptIn) {
  EXPECT_EQ(drive_on(std::string(kEdit) + "rm .git/autokernel-index; git reset -q\n"), 1);
  EXPECT_EQ(staged(), staged_);
  EXPECT_FALSE(workplace_.has(kKept));
}

TEST_F(TurnIndex, IsAsItWasAfterAnAgentThatPutsAnotherOneIntoThatFile) {
  EXPECT_EQ(drive_on(std::string(kEdit) +
                     "git reset -q; rm .git/autokernel-index; mkdir .git/autokernel-index\n"),
            1);
  EXPECT_EQ(staged(), staged_);
  EXPECT_FALSE(workplace_.has(kKept));
}

TEST_F(TurnIndex, KeepsItsBlobsFromAnAgentThatCleansUpGitsStore) {
  EXPECT_EQ(drive_on(std::string(kEdit) + kStageAll + "git gc -q --prune=now\n"), 1);
  EXPECT_EQ(staged(), staged_);
  EXPECT_THAT(git_.git("for-each-ref", "refs/autokernel-index"), IsEmpty());
}

TEST_F(TurnIndex, IsCompletedFromTheWorktreeWhereItsBlobsAreGone) {
  EXPECT_EQ(drive_on(std::string(kEdit) + "git reset -q -- added.txt\n" + kDropReference), 1);
  EXPECT_EQ(staged(), staged_);
}

TEST_F(TurnIndex, IsSaidToHaveLostWhatTheWorktreeDoesNotHaveEither) {
  EXPECT_EQ(drive_on(std::string(kEdit) + kStageAll + kDropReference), 1);
  EXPECT_THAT(workplace_.said(),
              Contains(HasSubstr("what was staged of notes.txt is no longer in git's store: 'git "
                                 "add notes.txt' stages what the worktree has")));
}

TEST_F(TurnIndex, IsSaidToBeGoneWhereTheDriveIsKilledAsWell) {
  kill_at("no such point, the agent does it",
          "rm .git/autokernel-index; git reset -q\n"
          "kill -9 $(sed 's/process \\([0-9]*\\).*/\\1/' .git/autokernel-lock)\n");
  workplace_.repair();
  EXPECT_THAT(workplace_.said(),
              Contains(HasSubstr("autokernel-index, the index from before it, is gone")));
  workplace_.repair();
  EXPECT_THAT(git_.git("for-each-ref", "refs/autokernel-index"), IsEmpty());
}

TEST_F(TurnIndex, HidesNoEditOfTheUsersThatCameAtTheSameMoment) {
  // Of the same size and, as far as the clock of the disk tells, the same time.
  EXPECT_EQ(drive_on(std::string(kEdit) + "git add -A\n"), 1);
  git_.write("added.txt", "addex\n");
  EXPECT_THAT(git_.git("status", "--porcelain", "added.txt"), HasSubstr("AM added.txt"));
}

TEST_F(TurnIndex, ComesBackWhereverTheDriveIsKilled) {
  for (const char* point : {"index kept", "tidying up", "tidied up", "journal removed"}) {
    kill_at(point, std::string(kEdit) + kStageAll);
    EXPECT_TRUE(workplace_.has(kKept)) << point;
    workplace_.repair();
    EXPECT_EQ(staged(), staged_) << point;
    EXPECT_FALSE(workplace_.has(kKept)) << point;
    fs::remove(workplace_.root() / "new.txt");
  }
}

TEST_F(TurnIndex, ComesBackAfterAKillInTheTurnAndSaysWhereTheOtherOneIs) {
  kill_at("no such point, the agent does it",
          std::string(kStageAll) +
              "kill -9 $(sed 's/process \\([0-9]*\\).*/\\1/' .git/autokernel-lock)\n");
  EXPECT_NE(staged(), staged_);
  workplace_.repair();
  EXPECT_EQ(staged(), staged_);
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr(".autokernel/aside/index-1")));
  EXPECT_TRUE(workplace_.has(".autokernel/aside/index-1"));
}

TEST_F(TurnIndex, StaysWhereTheHeadHasMovedSinceTheKill) {
  kill_at("index kept", kEdit);
  git_.git("commit", "-qm", "the user's own");
  const std::string now = staged();
  workplace_.repair();
  EXPECT_EQ(staged(), now);
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("HEAD has moved")));
  EXPECT_FALSE(workplace_.has(kKept));
}

TEST_F(TurnIndex, StaysWhereWhatWasKeptIsDamaged) {
  kill_at("index kept", kEdit);
  git_.write(kKept, "autokernel-index 2\n");
  workplace_.repair();
  EXPECT_EQ(staged(), staged_);
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("is damaged")));
}

}  // namespace
}  // namespace autokernel::loop
