// References are made, moved and deleted as git would, and git finds them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

using test::ScratchRepository;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr const char* kName = "refs/autokernel/demo/7";

class References : public ::testing::Test {
 protected:
  References() : first_(scratch_.commit("one")), second_(scratch_.commit("two")) {}
  ScratchRepository scratch_;
  std::string first_;
  std::string second_;
};

TEST_F(References, OneThatIsMadeIsFoundByGit) {
  const Repository repository = Repository::open(scratch_.root());
  repository.set_reference(kName, first_);
  EXPECT_EQ(scratch_.line("rev-parse", kName), first_);
  EXPECT_THAT(repository.reference(kName), Optional(first_));
}

TEST_F(References, OneThatIsThereIsMoved) {
  const Repository repository = Repository::open(scratch_.root());
  repository.set_reference(kName, first_);
  repository.set_reference(kName, second_);
  EXPECT_EQ(scratch_.line("rev-parse", kName), second_);
}

TEST_F(References, OneThatIsNotThereHasNoCommit) {
  EXPECT_EQ(Repository::open(scratch_.root()).reference(kName), std::nullopt);
}

TEST_F(References, OneOfATagStandsForTheTagsCommit) {
  scratch_.git("tag", "--annotate", "--message", "text", "v1", first_);
  EXPECT_THAT(Repository::open(scratch_.root()).reference("refs/tags/v1"), Optional(first_));
}

TEST_F(References, OneThatGitHasPackedIsFoundMovedAndDeleted) {
  const Repository repository = Repository::open(scratch_.root());
  repository.set_reference(kName, first_);
  scratch_.git("pack-refs", "--all");
  EXPECT_THAT(repository.reference(kName), Optional(first_));
  repository.set_reference(kName, second_);
  EXPECT_EQ(scratch_.line("rev-parse", kName), second_);
  repository.delete_reference(kName);
  EXPECT_EQ(scratch_.git("for-each-ref", "refs/autokernel"), "");
}

TEST_F(References, DeletingOneThatIsNotThereIsNoError) {
  Repository::open(scratch_.root()).delete_reference(kName);
  EXPECT_EQ(scratch_.git("for-each-ref", "refs/autokernel"), "");
}

TEST_F(References, OneWithABadNameIsAnErrorThatNamesIt) {
  const Repository repository = Repository::open(scratch_.root());
  try {
    repository.set_reference("refs/autokernel/a..b", first_);
    FAIL() << "made";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("refs/autokernel/a..b"), HasSubstr(first_)));
  }
}

TEST_F(References, WhatIsNoIdIsAnErrorThatShowsIt) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THROW(repository.set_reference(kName, "HEAD"), Error);
  EXPECT_THROW(repository.set_reference(kName, std::string(40, 'x')), Error);
}

TEST_F(References, ABranchIsMovedWithItsLogSigned) {
  const Repository repository = Repository::open(scratch_.root());
  repository.move_branch("main", second_, first_);
  EXPECT_EQ(scratch_.line("rev-parse", "main"), first_);
  EXPECT_EQ(scratch_.line("log", "-1", "--walk-reflogs", "--format=%gn %ge %H", "main"),
            "A Tester tester@example.com " + first_);
  EXPECT_EQ(scratch_.line("rev-parse", "HEAD@{1}"), second_);
}

TEST_F(References, ABranchThatStandsElsewhereIsNotMoved) {
  const Repository repository = Repository::open(scratch_.root());
  try {
    repository.move_branch("main", first_, first_);
    FAIL() << "moved";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), HasSubstr("it is at " + second_));
  }
  EXPECT_EQ(scratch_.line("rev-parse", "main"), second_);
}

TEST_F(References, ABranchThatIsNotThereIsNotMoved) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THROW(repository.move_branch("none", first_, second_), Error);
  EXPECT_EQ(scratch_.git("branch", "--list", "none"), "");
}

TEST_F(References, OneThatIsLockedForAMomentIsWaitedFor) {
  const Repository repository = Repository::open(scratch_.root());
  const auto lock = scratch_.write(".git/refs/heads/main.lock", "");
  std::jthread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    std::filesystem::remove(lock);
  });
  repository.move_branch("main", second_, first_);
  EXPECT_EQ(scratch_.line("rev-parse", "main"), first_);
}

TEST_F(References, OneThatStaysLockedIsAnErrorThatNamesTheLock) {
  const Repository repository = Repository::open(scratch_.root());
  scratch_.write(".git/refs/heads/main.lock", "");
  try {
    repository.move_branch("main", second_, first_);
    FAIL() << "moved";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("main.lock"), HasSubstr("another git")));
  }
}

TEST_F(References, AreFoundBelowAName) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_FALSE(repository.has_references_below("refs/autokernel/demo"));
  repository.set_reference("refs/autokernel/demo-2/7", first_);
  EXPECT_FALSE(repository.has_references_below("refs/autokernel/demo"));
  repository.set_reference("refs/autokernel/demo/7", first_);
  EXPECT_TRUE(repository.has_references_below("refs/autokernel/demo"));
  scratch_.git("pack-refs", "--all");
  EXPECT_TRUE(repository.has_references_below("refs/autokernel/demo"));
  EXPECT_FALSE(repository.has_references_below("refs/autokernel/demo/7"));
}

TEST_F(References, AreSoundToGit) {
  const Repository repository = Repository::open(scratch_.root());
  repository.set_reference(kName, first_);
  repository.set_reference("refs/autokernel/demo/8", second_);
  repository.move_branch("main", second_, first_);
  repository.delete_reference(kName);
  EXPECT_EQ(scratch_.git("fsck", "--strict"), "");
}

}  // namespace
}  // namespace autokernel::repo
