// Where the head stands, what is under way, and which branch the head points to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

using test::ScratchRepository;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto stands(const std::string& branch, const std::string& commit) {
  return AllOf(Field("branch", &Head::branch, branch), Field("commit", &Head::commit, commit));
}

TEST(Head, StandsOnABranchAtACommit) {
  const ScratchRepository scratch;
  const std::string commit = scratch.commit("one");
  scratch.git("switch", "--quiet", "--create", "autokernel/demo");
  EXPECT_THAT(Repository::open(scratch.root()).head(), stands("autokernel/demo", commit));
}

TEST(Head, HasNoCommitInANewRepository) {
  const ScratchRepository scratch;
  EXPECT_THAT(Repository::open(scratch.root()).head(), stands("main", ""));
}

TEST(Head, HasNoBranchWhereItIsDetached) {
  const ScratchRepository scratch;
  const std::string commit = scratch.commit("one");
  scratch.git("checkout", "--quiet", "--detach");
  EXPECT_THAT(Repository::open(scratch.root()).head(), stands("", commit));
}

TEST(Head, IsReadAnewEachTime) {
  const ScratchRepository scratch;
  scratch.commit("one");
  const Repository repository = Repository::open(scratch.root());
  EXPECT_EQ(repository.head().branch, "main");
  const std::string second = scratch.commit("two");
  scratch.git("switch", "--quiet", "--create", "other");
  EXPECT_THAT(repository.head(), stands("other", second));
}

TEST(Head, IsForcedToABranchThatStandsElsewhereWithoutTouchingAFile) {
  const ScratchRepository scratch;
  scratch.write("file", "one\n");
  const std::string first = scratch.commit("one");
  scratch.git("switch", "--quiet", "--create", "other");
  scratch.write("file", "two\n");
  scratch.commit("two");
  const Repository repository = Repository::open(scratch.root());
  repository.force_head("main");
  EXPECT_THAT(repository.head(), stands("main", first));
  EXPECT_EQ(scratch.read("file"), "two\n");
  EXPECT_EQ(scratch.line("status", "--porcelain"), "M  file");
}

TEST(Head, IsNotForcedToABranchThatDoesNotExist) {
  const ScratchRepository scratch;
  const std::string commit = scratch.commit("one");
  const Repository repository = Repository::open(scratch.root());
  EXPECT_THROW(repository.force_head("other"), Error);
  EXPECT_THAT(repository.head(), stands("main", commit));
}

// Two branches whose commits do not go together.
class UnderWay : public ::testing::Test {
 protected:
  UnderWay() {
    scratch_.write("file", "one\n");
    scratch_.commit("one");
    scratch_.git("switch", "--quiet", "--create", "other");
    scratch_.write("file", "other\n");
    scratch_.commit("other");
    scratch_.git("format-patch", "--quiet", "-1", "--output-directory",
                 scratch_.beside("patches").string());
    scratch_.git("switch", "--quiet", "main");
    scratch_.write("file", "main\n");
    scratch_.commit("main");
  }
  [[nodiscard]] std::string after(const std::vector<std::string>& arguments) const {
    static_cast<void>(scratch_.try_git(scratch_.root(), arguments));
    return Repository::open(scratch_.root()).operation_under_way();
  }
  ScratchRepository scratch_;
};

TEST_F(UnderWay, IsForgottenWithTheFilesLeftAsTheyAre) {
  ASSERT_EQ(after({"merge", "other"}), "merge");
  const std::string file = scratch_.read("file");
  const Repository repository = Repository::open(scratch_.root());
  repository.forget_operation();
  EXPECT_EQ(repository.operation_under_way(), "");
  EXPECT_EQ(scratch_.read("file"), file);
}

TEST_F(UnderWay, IsNothingInACleanRepository) { EXPECT_EQ(after({"status"}), ""); }
TEST_F(UnderWay, AMerge) { EXPECT_EQ(after({"merge", "other"}), "merge"); }
TEST_F(UnderWay, ARebase) { EXPECT_EQ(after({"rebase", "other"}), "rebase"); }
TEST_F(UnderWay, ARebaseByPatches) { EXPECT_EQ(after({"rebase", "--apply", "other"}), "rebase"); }
TEST_F(UnderWay, ACherryPick) { EXPECT_EQ(after({"cherry-pick", "other"}), "cherry-pick"); }
TEST_F(UnderWay, ARevert) { EXPECT_EQ(after({"revert", "--no-edit", "other"}), "revert"); }
TEST_F(UnderWay, ABisect) { EXPECT_EQ(after({"bisect", "start"}), "bisect"); }
TEST_F(UnderWay, PatchesFromAMailbox) {
  EXPECT_EQ(after({"am", scratch_.beside("patches/0001-other.patch").string()}), "am");
}

TEST(SwitchHead, PointsTheHeadToABranchThatStandsThere) {
  const ScratchRepository scratch;
  scratch.write("file", "one");
  const std::string commit = scratch.commit("one");
  scratch.write("file", "edited");
  scratch.git("branch", "autokernel/demo");
  const std::string status = scratch.git("status", "--porcelain");
  Repository::open(scratch.root()).switch_head("autokernel/demo");
  EXPECT_EQ(scratch.line("symbolic-ref", "HEAD"), "refs/heads/autokernel/demo");
  EXPECT_EQ(scratch.line("rev-parse", "HEAD"), commit);
  EXPECT_EQ(scratch.git("status", "--porcelain"), status);
  EXPECT_EQ(scratch.read("file"), "edited");
}

TEST(SwitchHead, RefusesABranchThatStandsElsewhere) {
  const ScratchRepository scratch;
  const std::string first = scratch.commit("one");
  scratch.git("branch", "old");
  const std::string second = scratch.commit("two");
  const Repository repository = Repository::open(scratch.root());
  try {
    repository.switch_head("old");
    FAIL() << "switched";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), AllOf(HasSubstr(first), HasSubstr(second)));
  }
  EXPECT_EQ(repository.head().branch, "main");
}

TEST(SwitchHead, RefusesABranchThatIsNotThere) {
  const ScratchRepository scratch;
  scratch.commit("one");
  EXPECT_THROW(Repository::open(scratch.root()).switch_head("none"), Error);
  EXPECT_EQ(scratch.line("symbolic-ref", "HEAD"), "refs/heads/main");
}

TEST(SwitchHead, LeavesARepositoryThatGitFindsSound) {
  const ScratchRepository scratch;
  scratch.commit("one");
  scratch.git("branch", "demo");
  Repository::open(scratch.root()).switch_head("demo");
  EXPECT_THAT(scratch.git("fsck", "--strict"), IsEmpty());
}

}  // namespace
}  // namespace autokernel::repo
