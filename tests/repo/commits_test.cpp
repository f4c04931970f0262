// A commit of one file differs from its parent in that file alone and leaves everything else alone.
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
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kKernel = "kernels/kernel.cu";

class Commits : public ::testing::Test {
 protected:
  Commits() {
    scratch_.write(kKernel, "one\n");
    scratch_.write("kernels/case.toml", "case\n");
    scratch_.write("deep/er/file", "file\n");
    first_ = scratch_.commit("one");
  }
  ScratchRepository scratch_;
  std::string first_;
};

TEST_F(Commits, ACommitHoldsTheWorktreesFile) {
  scratch_.write(kKernel, "two\n");
  const std::string commit =
      Repository::open(scratch_.root()).commit_files(first_, {kKernel}, "an idea\n");
  EXPECT_EQ(scratch_.git("show", commit + ":" + kKernel), "two\n");
}

TEST_F(Commits, ACommitDiffersFromItsParentInThatFileAlone) {
  scratch_.write(kKernel, "two\n");
  scratch_.write("kernels/case.toml", "changed\n");
  scratch_.write("deep/er/file", "changed\n");
  scratch_.git("add", "deep/er/file");
  scratch_.write("new", "new\n");
  const std::string commit =
      Repository::open(scratch_.root()).commit_files(first_, {kKernel}, "an idea\n");
  EXPECT_EQ(scratch_.git("diff", "--name-status", first_, commit), "M\tkernels/kernel.cu\n");
  EXPECT_EQ(scratch_.line("rev-parse", commit + "^"), first_);
}

TEST_F(Commits, ACommitHasItsMessageAndAuthor) {
  scratch_.write(kKernel, "two\n");
  const std::string commit = Repository::open(scratch_.root())
                                 .commit_files(first_, {kKernel}, "tiles: \"größer\"\n\nwhy\n");
  EXPECT_EQ(scratch_.git("log", "-1", "--format=%an <%ae>, %cn <%ce>%n%B", commit),
            "A Tester <tester@example.com>, A Tester <tester@example.com>\n"
            "tiles: \"größer\"\n\nwhy\n\n");
}

TEST_F(Commits, HeadAndIndexStayWhereTheyAre) {
  scratch_.write(kKernel, "two\n");
  const std::string index = scratch_.read(".git/index");
  static_cast<void>(Repository::open(scratch_.root()).commit_files(first_, {kKernel}, "an idea"));
  EXPECT_EQ(scratch_.line("rev-parse", "HEAD"), first_);
  EXPECT_EQ(scratch_.read(".git/index"), index);
}

TEST_F(Commits, NoHookIsRun) {
  const fs::path marker = scratch_.beside("ran");
  const std::string hook = "#!/bin/sh\ntouch '" + marker.string() + "'\nexit 1\n";
  fs::permissions(scratch_.write(".git/hooks/pre-commit", hook), fs::perms::owner_all);
  fs::permissions(scratch_.write(".git/hooks/commit-msg", hook), fs::perms::owner_all);
  fs::permissions(scratch_.write(".git/hooks/post-commit", hook), fs::perms::owner_all);
  scratch_.write(kKernel, "two\n");
  static_cast<void>(Repository::open(scratch_.root()).commit_files(first_, {kKernel}, "an idea"));
  EXPECT_FALSE(fs::exists(marker));
}

TEST_F(Commits, TheModeIsTheParents) {
  scratch_.write(kKernel, "two\n");
  fs::permissions(scratch_.root() / kKernel, fs::perms::owner_all);
  const Repository repository = Repository::open(scratch_.root());
  const std::string commit = repository.commit_files(first_, {kKernel}, "an idea");
  EXPECT_THAT(scratch_.git("ls-tree", commit, kKernel), HasSubstr("100644 blob"));
}

TEST_F(Commits, AnExecutableFileStaysOne) {
  fs::permissions(scratch_.root() / kKernel, fs::perms::owner_all);
  const std::string executable = scratch_.commit("executable");
  fs::permissions(scratch_.root() / kKernel, fs::perms::owner_read | fs::perms::owner_write);
  scratch_.write(kKernel, "two\n");
  const Repository repository = Repository::open(scratch_.root());
  const std::string commit = repository.commit_files(executable, {kKernel}, "an idea");
  EXPECT_THAT(scratch_.git("ls-tree", commit, kKernel), HasSubstr("100755 blob"));
}

TEST_F(Commits, AFileThatTheParentLacksIsAdded) {
  scratch_.write("a new/folder/file", "new\n");
  const std::string commit =
      Repository::open(scratch_.root()).commit_files(first_, {"a new/folder/file"}, "added");
  EXPECT_EQ(scratch_.git("diff", "--name-status", first_, commit), "A\ta new/folder/file\n");
}

TEST_F(Commits, AFileThatIsGoneIsAnError) {
  fs::remove(scratch_.root() / kKernel);
  const Repository repository = Repository::open(scratch_.root());
  try {
    static_cast<void>(repository.commit_files(first_, {kKernel}, "an idea"));
    FAIL() << "committed";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot commit"), HasSubstr(kKernel)));
  }
}

TEST_F(Commits, ALinkInPlaceOfTheFileIsAnError) {
  fs::remove(scratch_.root() / kKernel);
  fs::create_symlink("/etc/hostname", scratch_.root() / kKernel);
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THROW(static_cast<void>(repository.commit_files(first_, {kKernel}, "an idea")), Error);
}

TEST_F(Commits, AFileBehindALinkIsAnError) {
  fs::rename(scratch_.root() / "kernels", scratch_.beside("elsewhere"));
  fs::create_directory_symlink(scratch_.beside("elsewhere"), scratch_.root() / "kernels");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THROW(static_cast<void>(repository.commit_files(first_, {kKernel}, "an idea")), Error);
}

TEST_F(Commits, AFileThatAProgramOfTheUsersFiltersIsAnError) {
  scratch_.git("config", "filter.secret.clean", "encrypt %f");
  scratch_.write(".gitattributes", "*.cu filter=secret\n");
  scratch_.write(kKernel, "two\n");
  const Repository repository = Repository::open(scratch_.root());
  try {
    static_cast<void>(repository.commit_files(first_, {kKernel}, "an idea"));
    FAIL() << "committed";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("encrypt %f"), HasSubstr(".gitattributes")));
  }
}

TEST_F(Commits, AFilterThatIsNotSetUpHereIsNoneAsForGit) {
  scratch_.write(".gitattributes", "*.cu filter=secret\n");
  scratch_.write(kKernel, "two\n");
  const Repository repository = Repository::open(scratch_.root());
  const std::string commit = repository.commit_files(first_, {kKernel}, "an idea");
  EXPECT_EQ(scratch_.git("show", commit + ":" + kKernel), "two\n");
}

TEST_F(Commits, WithoutAUserTheFallbackCommits) {
  scratch_.git("config", "--unset", "user.name");
  scratch_.git("config", "--unset", "user.email");
  scratch_.write(kKernel, "two\n");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_TRUE(repository.identity().is_fallback);
  const std::string commit = repository.commit_files(first_, {kKernel}, "an idea");
  EXPECT_EQ(scratch_.line("log", "-1", "--format=%an <%ae>", commit),
            "autokernel <autokernel@localhost>");
}

TEST_F(Commits, AnEmptyUserIsNone) {
  scratch_.git("config", "user.name", "");
  scratch_.git("config", "user.email", "");
  scratch_.write(kKernel, "two\n");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_TRUE(repository.identity().is_fallback);
  const std::string commit = repository.commit_files(first_, {kKernel}, "an idea");
  EXPECT_EQ(scratch_.line("log", "-1", "--format=%an <%ae>", commit),
            "autokernel <autokernel@localhost>");
}

TEST_F(Commits, AUserOfDotsAndSpacesIsNone) {
  scratch_.git("config", "user.name", " . ");
  EXPECT_EQ(Repository::open(scratch_.root()).identity().name, "autokernel");
}

TEST_F(Commits, AUserWithoutAnAddressKeepsTheName) {
  scratch_.git("config", "--unset", "user.email");
  const Identity identity = Repository::open(scratch_.root()).identity();
  EXPECT_EQ(identity.name, "A Tester");
  EXPECT_EQ(identity.email, "autokernel@localhost");
  EXPECT_TRUE(identity.is_fallback);
}

TEST_F(Commits, AUserWithBracketsInTheNameCommitsWithoutThem) {
  scratch_.git("config", "user.name", "A <b> Tester");
  scratch_.write(kKernel, "two\n");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_FALSE(repository.identity().is_fallback);
  const std::string commit = repository.commit_files(first_, {kKernel}, "an idea");
  EXPECT_EQ(scratch_.line("log", "-1", "--format=%an", commit), "A b Tester");
}

TEST_F(Commits, ACommitMadeAgainHasTheFilesTheAuthorAndTheDateOfTheFirst) {
  scratch_.write(kKernel, "two\n");
  scratch_.git("add", "--all");
  scratch_.git("commit", "--quiet", "--author=Somebody <else@example.com>",
               "--date=2001-02-03T04:05:06+0100", "--message", "two");
  const std::string second = scratch_.line("rev-parse", "HEAD");
  scratch_.write(kKernel, "three\n");
  const std::string third = scratch_.commit("three");
  const std::string again =
      Repository::open(scratch_.root()).commit_again(second, third, "two, again\n");
  EXPECT_EQ(scratch_.line("log", "-1", "--format=%an <%ae> %aI %P %T %s", again),
            "Somebody <else@example.com> 2001-02-03T04:05:06+01:00 " + third + " " +
                scratch_.line("rev-parse", second + "^{tree}") + " two, again");
}

TEST_F(Commits, ACommitMadeAgainTwiceIsTheSame) {
  const std::string second = scratch_.commit("two");
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_EQ(repository.commit_again(first_, second, "again"),
            repository.commit_again(first_, second, "again"));
}

TEST_F(Commits, AreSoundToGit) {
  scratch_.write(kKernel, "two\n");
  const Repository repository = Repository::open(scratch_.root());
  const std::string commit = repository.commit_files(first_, {kKernel}, "an idea");
  repository.set_reference("refs/autokernel/demo/1", commit);
  repository.set_reference("refs/autokernel/demo/2",
                           repository.commit_again(commit, first_, "again"));
  EXPECT_EQ(scratch_.git("fsck", "--strict"), "");
}

}  // namespace
}  // namespace autokernel::repo
