// A worktree beside the repository's own: references are shared, head and index are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScratchRepository;
using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::UnorderedElementsAre;

class LinkedWorktree : public ::testing::Test {
 protected:
  LinkedWorktree() {
    scratch_.write("kernel.cu", "one\n");
    first_ = scratch_.commit("one");
    scratch_.git("worktree", "add", "--quiet", "-b", "linked", linked().string());
  }
  [[nodiscard]] fs::path linked() const { return scratch_.beside("linked"); }
  [[nodiscard]] Repository open() const { return Repository::open(linked()); }
  [[nodiscard]] std::string git_here(const std::vector<std::string>& arguments) const {
    return scratch_.git_in(linked(), arguments);
  }
  ScratchRepository scratch_;
  std::string first_;
};

TEST_F(LinkedWorktree, HasItsOwnRootAndHead) {
  EXPECT_EQ(open().root(), linked());
  EXPECT_EQ(open().head().branch, "linked");
}

TEST_F(LinkedWorktree, SharesItsReferences) {
  open().set_reference("refs/autokernel/demo/1", first_);
  EXPECT_THAT(Repository::open(scratch_.root()).reference("refs/autokernel/demo/1"),
              Optional(first_));
}

TEST_F(LinkedWorktree, GoesThroughAnExperimentAndTheOtherSeesNothing) {
  scratch_.write(linked() / "kernel.cu", "two\n");
  const Repository repository = open();
  const std::string second = repository.commit_files(first_, {"kernel.cu"}, "two");
  repository.move_branch("linked", first_, second);
  repository.match_index(second, "kernel.cu");
  EXPECT_EQ(git_here({"status", "--porcelain"}), "");
  EXPECT_EQ(git_here({"rev-parse", "HEAD"}), second + "\n");
  repository.move_branch("linked", second, first_);
  repository.check_out(first_, "kernel.cu");
  EXPECT_EQ(git_here({"status", "--porcelain"}), "");
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
  EXPECT_EQ(scratch_.line("rev-parse", "HEAD"), first_);
  EXPECT_EQ(scratch_.git("fsck", "--strict", "--no-dangling"), "");
}

TEST_F(LinkedWorktree, HasItsOwnChanges) {
  scratch_.write("kernel.cu", "edited in the other\n");
  scratch_.write(linked() / "new", "new\n");
  const auto changes = open().changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].path, "new");
}

TEST_F(LinkedWorktree, RefusesABranchThatTheOtherStandsOn) {
  EXPECT_THROW(open().switch_head("main"), Error);
  EXPECT_EQ(git_here({"symbolic-ref", "HEAD"}), "refs/heads/linked\n");
}

TEST_F(LinkedWorktree, SwitchesItsOwnHead) {
  scratch_.git("branch", "demo");
  open().switch_head("demo");
  EXPECT_EQ(git_here({"symbolic-ref", "HEAD"}), "refs/heads/demo\n");
  EXPECT_EQ(scratch_.line("symbolic-ref", "HEAD"), "refs/heads/main");
}

TEST_F(LinkedWorktree, ItsLocksAreInTwoFoldersAndThoseOfTheOtherStay) {
  scratch_.write(".git/worktrees/linked/index.lock", "");
  scratch_.write(".git/worktrees/linked/HEAD.lock", "");
  scratch_.write(".git/refs/heads/linked.lock", "");
  scratch_.write(".git/packed-refs.lock", "");
  const auto other = scratch_.write(".git/index.lock", "");
  EXPECT_THAT(open().remove_stale_locks({"refs/heads/linked"}),
              UnorderedElementsAre("index.lock", "HEAD.lock", "refs/heads/linked.lock",
                                   "packed-refs.lock"));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(LinkedWorktree, AMergeUnderWayInTheOtherIsNotItsOwn) {
  scratch_.git("switch", "--quiet", "--create", "other");
  scratch_.write("kernel.cu", "other\n");
  scratch_.commit("other");
  scratch_.git("switch", "--quiet", "main");
  scratch_.write("kernel.cu", "main\n");
  scratch_.commit("main");
  static_cast<void>(scratch_.try_git(scratch_.root(), {"merge", "other"}));
  EXPECT_EQ(Repository::open(scratch_.root()).operation_under_way(), "merge");
  EXPECT_EQ(open().operation_under_way(), "");
}

}  // namespace
}  // namespace autokernel::repo
