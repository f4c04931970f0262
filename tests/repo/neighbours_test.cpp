// No operation touches, stages, unstages or removes any path but the one it is given.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScratchRepository;

constexpr const char* kKernel = "kernels/kernel.cu";

// A worktree where the file in question is surrounded by files in every state, some of them with
// names that a pattern would match.
class Neighbours : public ::testing::Test {
 protected:
  Neighbours() {
    scratch_.write(kKernel, "one\n");
    scratch_.write("kernels/kernel.cuh", "one\n");
    scratch_.write("kernels/modified", "one\n");
    scratch_.write("kernels/deleted", "one\n");
    scratch_.write("kernels/unstaged", "one\n");
    scratch_.write("kernels/staged and modified", "one\n");
    scratch_.write("kernels/removed", "one\n");
    first_ = scratch_.commit("one");
    scratch_.write(kKernel, "two\n");
    second_ = scratch_.commit("two");
    scratch_.write("kernels/staged", "staged\n");
    scratch_.write("kernels/staged and modified", "staged\n");
    scratch_.git("add", "kernels/staged", "kernels/staged and modified");
    scratch_.write("kernels/staged and modified", "modified\n");
    scratch_.git("rm", "--quiet", "kernels/removed");
    scratch_.git("rm", "--quiet", "--cached", "kernels/unstaged");
    scratch_.write("kernels/modified", "modified\n");
    fs::remove(scratch_.root() / "kernels/deleted");
    scratch_.write("kernels/*", "new\n");
    scratch_.write("new folder/:file", "new\n");
    repository_ = std::make_unique<Repository>(Repository::open(scratch_.root()));
  }

  // Everything git knows of index and worktree, the one file aside.
  [[nodiscard]] std::string all_others() const {
    return scratch_.git("status", "--porcelain", "--untracked-files=all", "--", ".",
                        ":(exclude,top)kernels/kernel.cu") +
           scratch_.git("ls-files", "--stage", "--", ".", ":(exclude,top)kernels/kernel.cu") +
           scratch_.read("kernels/modified") + scratch_.read("kernels/staged and modified") +
           scratch_.read("kernels/*") + scratch_.read("new folder/:file");
  }
  void expect_others_unchanged_by(const std::function<void()>& operation) {
    const std::string before = all_others();
    operation();
    EXPECT_EQ(all_others(), before);
    EXPECT_EQ(scratch_.git("fsck", "--strict", "--no-dangling"), "");
  }

  ScratchRepository scratch_;
  std::string first_;
  std::string second_;
  std::unique_ptr<Repository> repository_;
};

TEST_F(Neighbours, ACommitLeavesThemAlone) {
  scratch_.write(kKernel, "three\n");
  expect_others_unchanged_by([&] {
    const std::string commit = repository_->commit_files(second_, {kKernel}, "three");
    EXPECT_EQ(scratch_.git("diff", "--name-only", second_, commit), "kernels/kernel.cu\n");
  });
}

TEST_F(Neighbours, MovingTheBranchLeavesThemAlone) {
  const std::string before = scratch_.git("ls-files", "--stage");
  repository_->move_branch("main", second_, first_);
  EXPECT_EQ(scratch_.git("ls-files", "--stage"), before);
  EXPECT_EQ(scratch_.read(kKernel), "two\n");
}

TEST_F(Neighbours, ACheckOutLeavesThemAlone) {
  expect_others_unchanged_by([&] { repository_->check_out(first_, kKernel); });
  EXPECT_EQ(scratch_.read(kKernel), "one\n");
}

TEST_F(Neighbours, MatchingTheIndexLeavesThemAlone) {
  expect_others_unchanged_by([&] { repository_->match_index(first_, kKernel); });
}

TEST_F(Neighbours, StoringAndPuttingBackLeavesThemAlone) {
  expect_others_unchanged_by([&] {
    const std::string blob = repository_->store(kKernel);
    scratch_.write(kKernel, "three\n");
    repository_->put_back(blob, kKernel);
  });
}

TEST_F(Neighbours, LookingAtThemLeavesThemAlone) {
  expect_others_unchanged_by([&] {
    static_cast<void>(repository_->changes());
    static_cast<void>(repository_->diff(first_, second_, {kKernel}));
    static_cast<void>(repository_->file_matches(first_, kKernel));
  });
}

TEST_F(Neighbours, AWholeExperimentThatIsTakenBackLeavesNoTrace) {
  const std::string before = scratch_.git("status", "--porcelain", "--untracked-files=all");
  scratch_.write(kKernel, "three\n");
  const std::string commit = repository_->commit_files(second_, {kKernel}, "three");
  repository_->set_reference("refs/autokernel/demo/1", commit);
  repository_->move_branch("main", second_, commit);
  repository_->match_index(commit, kKernel);
  repository_->move_branch("main", commit, second_);
  repository_->check_out(second_, kKernel);
  EXPECT_EQ(scratch_.git("status", "--porcelain", "--untracked-files=all"), before);
  EXPECT_EQ(scratch_.git("fsck", "--strict", "--no-dangling"), "");
}

TEST_F(Neighbours, ANameThatIsAPatternIsTakenAsItIs) {
  const std::string name = "kernels/[ab] * größe";
  scratch_.write(name, "odd\n");
  const std::string status = scratch_.git("status", "--porcelain", "--untracked-files=all");
  const std::string odd = repository_->commit_files(second_, {name}, "odd");
  EXPECT_EQ(scratch_.git("-c", "core.quotePath=false", "diff", "--name-only", second_, odd),
            name + "\n");
  repository_->set_reference("refs/autokernel/demo/1", odd);
  repository_->check_out(odd, name);
  EXPECT_EQ(scratch_.git("diff", "--cached", "--name-only", odd, "--", ":(literal)" + name), "");
  repository_->match_index(second_, name);
  EXPECT_EQ(scratch_.git("status", "--porcelain", "--untracked-files=all"), status);
}

}  // namespace
}  // namespace autokernel::repo
