// Checking a file out of a commit, and its index entry alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/present.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScratchRepository;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kKernel = "kernels/kernel.cu";

[[nodiscard]] unsigned mode_of(const fs::path& file) {
  struct stat status{};
  EXPECT_EQ(::lstat(file.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

class IndexAfterCheckout : public ::testing::Test {
 protected:
  IndexAfterCheckout() {
    scratch_.write(kKernel, "one\n");
    first_ = scratch_.commit("one");
    scratch_.write(kKernel, "two\n");
    second_ = scratch_.commit("two");
  }
  [[nodiscard]] fs::path kernel() const { return scratch_.root() / kKernel; }
  ScratchRepository scratch_;
  std::string first_;
  std::string second_;
};

TEST_F(IndexAfterCheckout, FileAndIndexAreTheCommits) {
  Repository::open(scratch_.root()).check_out(first_, kKernel);
  EXPECT_EQ(scratch_.read(kKernel), "one\n");
  EXPECT_EQ(scratch_.line("rev-parse", ":" + std::string(kKernel)),
            scratch_.line("rev-parse", first_ + ":" + kKernel));
}

TEST_F(IndexAfterCheckout, AnEditedFileIsTakenBackAndGitSeesNoChange) {
  scratch_.write(kKernel, "edited\n");
  scratch_.git("add", kKernel);
  scratch_.write(kKernel, "edited again\n");
  Repository::open(scratch_.root()).check_out(second_, kKernel);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, GitNeedNotReadTheFileToSeeThatItIsTheSame) {
  scratch_.write(kKernel, "edited\n");
  Repository::open(scratch_.root()).check_out(second_, kKernel);
  // Without looking at any file's bytes.
  EXPECT_EQ(scratch_.git("diff-files", "--name-only"), "");
}

TEST_F(IndexAfterCheckout, TheFileKeepsItsMode) {
  constexpr unsigned kGroupMayWrite = 0664;
  ASSERT_EQ(::chmod(kernel().c_str(), kGroupMayWrite), 0);
  Repository::open(scratch_.root()).check_out(first_, kKernel);
  EXPECT_EQ(mode_of(kernel()), kGroupMayWrite);
}

TEST_F(IndexAfterCheckout, AFileThatWasMadeExecutableIsNoMore) {
  constexpr unsigned kExecutable = 0775;
  ASSERT_EQ(::chmod(kernel().c_str(), kExecutable), 0);
  Repository::open(scratch_.root()).check_out(second_, kKernel);
  EXPECT_EQ(mode_of(kernel()), 0664U);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, AnExecutableFileIsMadeOneForThoseWhoMayRead) {
  ASSERT_EQ(::chmod(kernel().c_str(), 0755), 0);
  const std::string executable = scratch_.commit("executable");
  ASSERT_EQ(::chmod(kernel().c_str(), 0640), 0);
  Repository::open(scratch_.root()).check_out(executable, kKernel);
  EXPECT_EQ(mode_of(kernel()), 0750U);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, WithoutFileModesTheModeStays) {
  scratch_.git("config", "core.fileMode", "false");
  ASSERT_EQ(::chmod(kernel().c_str(), 0755), 0);
  Repository::open(scratch_.root()).check_out(first_, kKernel);
  EXPECT_EQ(mode_of(kernel()), 0755U);
}

TEST_F(IndexAfterCheckout, AFileThatIsGoneComesBackWithItsFolder) {
  fs::remove_all(scratch_.root() / "kernels");
  Repository::open(scratch_.root()).check_out(second_, kKernel);
  EXPECT_EQ(scratch_.read(kKernel), "two\n");
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, ALinkInPlaceOfTheFileIsReplacedAndNotFollowed) {
  const fs::path outside = scratch_.beside("outside");
  scratch_.write(outside, "outside\n");
  fs::remove(kernel());
  fs::create_symlink(outside, kernel());
  Repository::open(scratch_.root()).check_out(second_, kKernel);
  EXPECT_EQ(test::contents(outside), "outside\n");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(kernel())));
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, NothingIsWrittenThroughALinkInPlaceOfAFolder) {
  fs::rename(scratch_.root() / "kernels", scratch_.beside("outside"));
  fs::create_directory_symlink(scratch_.beside("outside"), scratch_.root() / "kernels");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THROW(repository.check_out(first_, kKernel), Error);
  EXPECT_EQ(test::contents(scratch_.beside("outside/kernel.cu")), "two\n");
}

TEST_F(IndexAfterCheckout, ACommittedLinkComesBackAsOne) {
  fs::create_symlink("kernels/kernel.cu", scratch_.root() / "link");
  const std::string linked = scratch_.commit("link");
  fs::remove(scratch_.root() / "link");
  scratch_.write("link", "a file\n");
  Repository::open(scratch_.root()).check_out(linked, "link");
  EXPECT_EQ(fs::read_symlink(scratch_.root() / "link"), "kernels/kernel.cu");
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, AFileThatTheCommitLacksIsAnErrorAndStays) {
  scratch_.write("mine", "mine\n");
  const Repository repository = Repository::open(scratch_.root());
  try {
    repository.check_out(first_, "mine");
    FAIL() << "checked out";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("mine"), HasSubstr(first_)));
  }
  EXPECT_EQ(scratch_.read("mine"), "mine\n");
}

TEST_F(IndexAfterCheckout, APathThatLeadsOutOfTheWorktreeIsAnError) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THROW(
      repository.put_back(scratch_.line("rev-parse", "HEAD:kernels/kernel.cu"), "../outside"),
      Error);
  EXPECT_FALSE(fs::exists(scratch_.beside("outside")));
}

TEST_F(IndexAfterCheckout, AnIndexThatIsLockedForAMomentIsWaitedFor) {
  const Repository repository = Repository::open(scratch_.root());
  const auto lock = scratch_.write(".git/index.lock", "");
  std::jthread holder([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    fs::remove(lock);
  });
  repository.check_out(first_, kKernel);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "M  kernels/kernel.cu\n");
}

TEST_F(IndexAfterCheckout, AnIndexThatStaysLockedIsAnErrorAndTheNextTrySucceeds) {
  const Repository repository = Repository::open(scratch_.root());
  const auto lock = scratch_.write(".git/index.lock", "");
  try {
    repository.check_out(first_, kKernel);
    FAIL() << "checked out";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(".git/index:"), HasSubstr(".lock"), HasSubstr("another git")));
  }
  fs::remove(lock);
  repository.check_out(second_, kKernel);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, WhatGitHasStagedSinceTheRepositoryWasOpenedStaysStaged) {
  const Repository repository = Repository::open(scratch_.root());
  scratch_.write("other", "other\n");
  scratch_.git("add", "other");
  repository.check_out(first_, kKernel);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "M  kernels/kernel.cu\nA  other\n");
}

TEST_F(IndexAfterCheckout, LeavesARepositoryThatGitFindsSound) {
  Repository::open(scratch_.root()).check_out(first_, kKernel);
  EXPECT_EQ(scratch_.git("fsck", "--strict"), "");
}

TEST_F(IndexAfterCheckout, MatchingTheIndexLeavesTheFile) {
  scratch_.write(kKernel, "edited\n");
  Repository::open(scratch_.root()).match_index(first_, kKernel);
  EXPECT_EQ(scratch_.read(kKernel), "edited\n");
  EXPECT_EQ(scratch_.line("rev-parse", ":" + std::string(kKernel)),
            scratch_.line("rev-parse", first_ + ":" + kKernel));
}

TEST_F(IndexAfterCheckout, MatchingTheIndexUnstagesWhatTheCommitLacks) {
  scratch_.write("staged", "staged\n");
  scratch_.git("add", "staged");
  Repository::open(scratch_.root()).match_index(first_, "staged");
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "?? staged\n");
}

TEST_F(IndexAfterCheckout, MatchingTheIndexAfterACommitLeavesNoChange) {
  scratch_.write(kKernel, "three\n");
  const Repository repository = Repository::open(scratch_.root());
  const std::string third = repository.commit_files(second_, {kKernel}, "three");
  repository.move_branch("main", second_, third);
  repository.match_index(third, kKernel);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "");
}

TEST_F(IndexAfterCheckout, AnIndexOfTheFourthVersionStaysOne) {
  scratch_.git("update-index", "--index-version", "4");
  Repository::open(scratch_.root()).check_out(first_, kKernel);
  constexpr std::size_t kVersion = 7;  // the last byte of the second word
  EXPECT_EQ(scratch_.read(".git/index")[kVersion], 4);
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "M  kernels/kernel.cu\n");
}

class IndexImages : public IndexAfterCheckout {
 protected:
  // What is staged of what.
  [[nodiscard]] std::string staged() const { return scratch_.git("diff", "--cached"); }
};

TEST_F(IndexImages, PutBackWhatWasStaged) {
  scratch_.write(kKernel, "staged\n");
  scratch_.write("added", "added\n");
  scratch_.git("add", "-A");
  const std::string before = staged();
  const Repository repository = Repository::open(scratch_.root());
  const auto image = repository.index_image();
  ASSERT_TRUE(image);
  scratch_.git("reset", "-q");
  EXPECT_TRUE(repository.set_index(test::present(image)));
  EXPECT_EQ(staged(), before);
  EXPECT_EQ(repository.index_image(), image);
  EXPECT_FALSE(fs::exists(scratch_.root() / ".git/index.lock"));
}

TEST_F(IndexImages, AreNotWrittenWhereTheyAreThereAlready) {
  const Repository repository = Repository::open(scratch_.root());
  const auto image = repository.index_image();
  ASSERT_TRUE(image);
  EXPECT_FALSE(repository.set_index(test::present(image)));
  EXPECT_FALSE(fs::exists(scratch_.root() / ".git/index.lock"));
}

TEST_F(IndexImages, DoNotHideAnEditThatWasAsLateAsTheIndex) {
  scratch_.write(kKernel, "three\n");
  scratch_.git("add", kKernel);
  const Repository repository = Repository::open(scratch_.root());
  const auto image = repository.index_image();
  ASSERT_TRUE(image);
  scratch_.git("reset", "-q");
  // Of the same size, and as far as the disk's clock tells of the same time.
  const auto time = fs::last_write_time(kernel());
  std::ofstream(kernel(), std::ios::in) << "thref\n";
  fs::last_write_time(kernel(), time);
  EXPECT_TRUE(repository.set_index(test::present(image)));
  EXPECT_EQ(scratch_.git("status", "--porcelain"), "MM kernels/kernel.cu\n");
}

TEST_F(IndexImages, ArePutBackByNobodyWhileAnotherGitHasTheLock) {
  const Repository repository = Repository::open(scratch_.root());
  const auto image = repository.index_image();
  ASSERT_TRUE(image);
  scratch_.write(".git/index.lock", "");
  EXPECT_THAT([&] { repository.set_index(test::present(image)); },
              ::testing::ThrowsMessage<Error>(
                  AllOf(HasSubstr("index.lock"), HasSubstr("another git is running"))));
  EXPECT_TRUE(fs::exists(scratch_.root() / ".git/index.lock"));
}

TEST_F(IndexImages, NoneWhereThereIsNoIndex) {
  fs::remove(scratch_.root() / ".git/index");
  EXPECT_EQ(Repository::open(scratch_.root()).index_image(), std::nullopt);
}

TEST_F(IndexAfterCheckout, StagedBlobsAreThoseThatTheHeadDoesNotHave) {
  scratch_.write("added.txt", "added\n");
  scratch_.write(kKernel, "staged\n");
  scratch_.git("add", "added.txt", kKernel);
  scratch_.write(kKernel, "not staged\n");
  EXPECT_THAT(
      Repository::open(scratch_.root()).staged(),
      ::testing::ElementsAre(StagedBlob{.path = "added.txt", .blob = hash_of_bytes("added\n")},
                             StagedBlob{.path = kKernel, .blob = hash_of_bytes("staged\n")}));
}

TEST_F(IndexAfterCheckout, StagedBlobsOfAFileInConflictAreThoseOfEachSide) {
  scratch_.write(kKernel, "mine\n");
  scratch_.git("stash", "push", "-q");
  scratch_.write(kKernel, "other\n");
  scratch_.commit("other");
  static_cast<void>(scratch_.try_git(scratch_.root(), {"stash", "pop"}));
  EXPECT_THAT(Repository::open(scratch_.root()).staged(),
              ::testing::ElementsAre(StagedBlob{.path = kKernel, .blob = hash_of_bytes("two\n")},
                                     StagedBlob{.path = kKernel, .blob = hash_of_bytes("other\n")},
                                     StagedBlob{.path = kKernel, .blob = hash_of_bytes("mine\n")}));
}

TEST_F(IndexAfterCheckout, HeldBlobsOutliveACleanUpAsLongAsTheReferenceStands) {
  const Repository repository = Repository::open(scratch_.root());
  const std::string blob = repository.store_bytes("nobody names it\n");
  repository.hold("refs/autokernel-index/test", {blob, hash_of_bytes("in no store\n")});
  scratch_.git("gc", "-q", "--prune=now");
  EXPECT_TRUE(repository.has_blob(blob));
  repository.delete_reference("refs/autokernel-index/test");
  scratch_.git("gc", "-q", "--prune=now");
  EXPECT_FALSE(Repository::open(scratch_.root()).has_blob(blob));
}

}  // namespace
}  // namespace autokernel::repo
