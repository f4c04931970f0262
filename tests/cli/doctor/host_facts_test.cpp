// What files say, on made-up trees.
#include "cli/doctor/host_facts.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>

#include "support/scratch_folder.h"

namespace autokernel::cli::doctor {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LookAtRepository, FindsABareOneAndNoFilesOfIt) {
  const test::ScratchFolder scratch;
  scratch.write("HEAD", "ref: refs/heads/main\n");
  const auto inside = scratch.folder("objects");
  static_cast<void>(scratch.folder("refs"));
  const Repository found = look_at_repository(inside);
  EXPECT_EQ(found.root, "");
  EXPECT_EQ(found.git_folder, std::filesystem::canonical(scratch.path()));
}

TEST(LookAtRepository, FindsTheOneAroundAFolder) {
  const test::ScratchFolder scratch;
  scratch.write(".git/HEAD", "ref: refs/heads/topic/one\n");
  const Repository found = look_at_repository(scratch.folder("deep/inside"));
  EXPECT_EQ(found.root, fs::canonical(scratch.path()).string());
  EXPECT_EQ(found.branch, "topic/one");
  EXPECT_THAT(found.under_way, IsEmpty());
  EXPECT_FALSE(found.locked);
}

TEST(LookAtRepository, ReadsTheStateOfAWorktreeWhereItLies) {
  const test::ScratchFolder scratch;
  scratch.write("main/.git/worktrees/other/HEAD", "ref: refs/heads/other\n");
  scratch.write("main/.git/worktrees/other/MERGE_HEAD", "");
  scratch.write("other/.git", "gitdir: ../main/.git/worktrees/other\n");
  const Repository found = look_at_repository(scratch.path() / "other");
  EXPECT_EQ(found.branch, "other");
  EXPECT_EQ(found.under_way, "merge");
}

TEST(LookAtRepository, SeesAHeadWithoutABranch) {
  const test::ScratchFolder scratch;
  scratch.write(".git/HEAD", "0123456789012345678901234567890123456789\n");
  EXPECT_THAT(look_at_repository(scratch.path()).branch, IsEmpty());
}

TEST(LookAtRepository, SeesALockAndARebase) {
  const test::ScratchFolder scratch;
  scratch.write(".git/HEAD", "ref: refs/heads/main\n");
  scratch.write(".git/index.lock", "");
  (void)scratch.folder(".git/rebase-merge");
  const Repository found = look_at_repository(scratch.path());
  EXPECT_TRUE(found.locked);
  EXPECT_EQ(found.under_way, "rebase");
}

TEST(LookAtFolder, LooksAboveWhereItIsYetToBeMade) {
  const test::ScratchFolder scratch;
  const Folder found = look_at_folder(scratch.path() / "not" / "yet");
  EXPECT_THAT(found.trouble, IsEmpty());
  EXPECT_TRUE(found.free_bytes.has_value());
  EXPECT_FALSE(fs::exists(scratch.path() / "not"));
}

TEST(LookAtFolder, SaysThatAFileIsInTheWay) {
  const test::ScratchFolder scratch;
  scratch.write("file", "");
  EXPECT_THAT(look_at_folder(scratch.path() / "file" / "below").trouble, HasSubstr("is no folder"));
}

TEST(LookAtFolder, SaysThatItCannotBeWrittenTo) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write to any folder";
  const test::ScratchFolder scratch;
  const auto closed = scratch.folder("closed");
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(look_at_folder(closed / "below").trouble, HasSubstr("Permission denied"));
}

// A folder for temporary files of a test's choice, as long as it lives.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& path) {
    ::setenv("TMPDIR", path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { ::unsetenv("TMPDIR"); }  // NOLINT(concurrency-mt-unsafe): one thread
};

TEST(LookAround, LeavesNothingBehind) {
  const test::ScratchFolder scratch;
  const TemporaryFolder chosen(scratch.path());
  const HostFacts found = host_facts(scratch.path());
  EXPECT_EQ(found.temporary.path, scratch.path().string());
  EXPECT_THAT(found.temporary.trouble, IsEmpty());
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(LookAround, SaysThatThereIsNoFolderForTemporaryFiles) {
  const test::ScratchFolder scratch;
  const std::string missing = (scratch.path() / "missing").string();
  const TemporaryFolder chosen(missing);
  const HostFacts found = host_facts(scratch.path());
  EXPECT_EQ(found.temporary.path, missing);
  EXPECT_THAT(found.temporary.trouble, HasSubstr(missing));
}

}  // namespace
}  // namespace autokernel::cli::doctor
