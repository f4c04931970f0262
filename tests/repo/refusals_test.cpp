// Each repository that cannot be used is refused by name, and the command in the message helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScopedEnvironment;
using test::ScratchFolder;
using test::ScratchRepository;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The message of the refusal; empty where the repository was opened.
[[nodiscard]] std::string refusal(const fs::path& inside) {
  try {
    static_cast<void>(Repository::open(inside));
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::repository);
    return error.what();
  }
  return "";
}

void fill(const ScratchRepository& scratch) {
  scratch.write("a/one", "1");
  scratch.write("b/two", "2");
  scratch.commit("files");
}

TEST(Refusals, AFolderInNoRepository) {
  const ScratchFolder folder;
  EXPECT_THAT(refusal(folder.path()),
              AllOf(HasSubstr(folder.path().string() + " is not in a git repository"),
                    HasSubstr("git init")));
}

TEST(Refusals, AFolderThatDoesNotExist) {
  const ScratchFolder folder;
  EXPECT_THAT(refusal(folder.path() / "none"), HasSubstr("No such file or directory"));
}

TEST(Refusals, ABareRepository) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.git("clone", "--quiet", "--bare", ".", scratch.beside("bare.git").string());
  const std::string remedy = "git clone '" + scratch.beside("bare.git").string() + "' FOLDER";
  EXPECT_THAT(refusal(scratch.beside("bare.git")), AllOf(HasSubstr("bare"), HasSubstr(remedy)));
}

TEST(Refusals, AWorktreeOfABareRepositoryIsNone) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.git("clone", "--quiet", "--bare", ".", scratch.beside("bare.git").string());
  scratch.git_in(scratch.beside("bare.git"),
                 {"worktree", "add", "--quiet", scratch.beside("linked").string()});
  EXPECT_EQ(Repository::open(scratch.beside("linked")).root(), scratch.beside("linked"));
}

TEST(Refusals, ObjectsNamedBySha256) {
  const ScratchRepository scratch({"--object-format=sha256"});
  EXPECT_THAT(refusal(scratch.root()),
              AllOf(HasSubstr(scratch.root().string()), HasSubstr("sha256"),
                    HasSubstr("git init --object-format=sha1 FOLDER")));
}

// Written by hand: the git that makes such references is newer than many that are in use.
TEST(Refusals, ReferencesKeptInATable) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.git("config", "core.repositoryformatversion", "1");
  scratch.git("config", "extensions.refStorage", "reftable");
  EXPECT_THAT(refusal(scratch.root()), AllOf(HasSubstr("kept as reftable"),
                                             HasSubstr("git refs migrate --ref-format=files")));
}

TEST(Refusals, TheFormatIsFoundFromALinkedWorktree) {
  const ScratchRepository scratch({"--object-format=sha256"});
  fill(scratch);
  scratch.git("worktree", "add", "--quiet", scratch.beside("linked").string());
  EXPECT_THAT(refusal(scratch.beside("linked")), HasSubstr("sha256"));
}

TEST(Refusals, AnExtensionThatNobodyKnows) {
  const ScratchRepository scratch;
  scratch.git("config", "core.repositoryformatversion", "1");
  scratch.git("config", "extensions.someday", "true");
  EXPECT_THAT(refusal(scratch.root()),
              AllOf(HasSubstr("extensions.someday"), HasSubstr("git clone")));
}

// In every version of the format.
TEST(Refusals, SettingsForOneWorktreeAlone) {
  const ScratchRepository scratch;
  scratch.git("config", "extensions.worktreeConfig", "true");
  EXPECT_NO_THROW(static_cast<void>(Repository::open(scratch.root())));
  scratch.git("config", "--worktree", "core.attributesFile", "/evil");
  EXPECT_THAT(refusal(scratch.root()),
              AllOf(HasSubstr("core.attributesfile"), HasSubstr("extensions.worktreeConfig")));
}

TEST(Refusals, FilesThatAreSaidToLieElsewhereUntilTheyAreNot) {
  const ScratchRepository scratch;
  fill(scratch);
  const fs::path elsewhere = scratch.beside("elsewhere");
  fs::create_directory(elsewhere);
  scratch.git("config", "core.worktree", elsewhere.string());
  for (const fs::path& inside : {scratch.root(), scratch.root() / "a"}) {
    EXPECT_THAT(refusal(inside),
                AllOf(HasSubstr(elsewhere.string()), HasSubstr("config --unset core.worktree")));
  }
  EXPECT_TRUE(fs::is_empty(elsewhere));
  scratch.git_in(scratch.root() / ".git", {"config", "--unset", "core.worktree"});
  EXPECT_EQ(refusal(scratch.root()), "");
}

TEST(Refusals, FilesThatAreSaidToLieWhereTheyDoAreNone) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.git("config", "core.worktree", scratch.root().string());
  EXPECT_EQ(refusal(scratch.root() / "a"), "");
}

TEST(Refusals, AFolderWhoseGitIsThatOfAnother) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.write("a/.git", "gitdir: ../.git\n");
  EXPECT_THAT(refusal(scratch.root() / "a"), HasSubstr("leads to that of"));
}

TEST(Refusals, ASubmoduleIsNone) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.git("clone", "--quiet", ".", scratch.beside("other").string());
  scratch.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
              scratch.beside("other").string(), "part");
  EXPECT_EQ(Repository::open(scratch.root() / "part").root(), scratch.root() / "part");
}

// With holes in them, they cost nothing on the disk.
TEST(Refusals, FilesOfGitsThatAreTooLarge) {
  constexpr std::uintmax_t kHuge = std::uintmax_t{6} << 30U;
  for (const char* name :
       {".git/config", ".git/HEAD", ".git/packed-refs", ".git/index", ".git/info/exclude",
        ".git/info/attributes", ".git/objects/info/alternates"}) {
    const ScratchRepository scratch;
    fill(scratch);
    fs::resize_file(
        fs::exists(scratch.root() / name) ? scratch.root() / name : scratch.write(name, ""), kHuge);
    EXPECT_THAT(
        refusal(scratch.root()),
        AllOf(HasSubstr((scratch.root() / name).string() + " has 6 GiB"), HasSubstr("at most")));
  }
}

TEST(Refusals, AReferenceThatIsTooLarge) {
  const ScratchRepository scratch;
  fill(scratch);
  fs::resize_file(scratch.root() / ".git/refs/heads/main", std::uintmax_t{6} << 30U);
  const Repository repository = Repository::open(scratch.root());
  EXPECT_THROW(static_cast<void>(repository.head()), Error);
  EXPECT_THROW(static_cast<void>(repository.reference("refs/heads/main")), Error);
}

// Where none of the looks at sizes finds it, libgit2 is not given the memory.
TEST(Refusals, AnObjectThatIsTooLargeIsNotRead) {
  const ScratchRepository scratch;
  fill(scratch);
  const std::string blob = scratch.line("rev-parse", "HEAD:a/one");
  const fs::path object = scratch.root() / ".git/objects" / blob.substr(0, 2) / blob.substr(2);
  fs::permissions(object, fs::perms::owner_write, fs::perm_options::add);
  fs::resize_file(object, std::uintmax_t{6} << 30U);
  const Repository repository = Repository::open(scratch.root());
  EXPECT_THROW(static_cast<void>(repository.bytes_of(blob)), Error);
}

TEST(Refusals, ASplitIndexUntilItIsNone) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.git("update-index", "--split-index");
  EXPECT_THAT(refusal(scratch.root()), AllOf(HasSubstr("its index is split"),
                                             HasSubstr("git config core.splitIndex false && "
                                                       "git update-index --no-split-index")));
  scratch.git("config", "core.splitIndex", "false");
  scratch.git("update-index", "--no-split-index");
  EXPECT_EQ(refusal(scratch.root()), "");
}

TEST(Refusals, ASparseIndexUntilItIsNone) {
  const ScratchRepository scratch;
  fill(scratch);
  scratch.git("sparse-checkout", "set", "--cone", "--sparse-index", "a");
  EXPECT_THAT(refusal(scratch.root()),
              AllOf(HasSubstr("its index is sparse"),
                    HasSubstr("git sparse-checkout reapply --no-sparse-index")));
  scratch.git("sparse-checkout", "reapply", "--no-sparse-index");
  EXPECT_EQ(refusal(scratch.root()), "");
}

// As index.skipHash leaves it, which is newer than many a git.
TEST(Refusals, AnIndexWithoutAChecksum) {
  const ScratchRepository scratch;
  fill(scratch);
  const fs::path index = scratch.root() / ".git/index";
  std::fstream file(index, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-20, std::ios::end);
  file << std::string(20, '\0') << std::flush;
  EXPECT_THAT(refusal(scratch.root()),
              AllOf(HasSubstr("no checksum"), HasSubstr("git config index.skipHash false")));
}

TEST(Refusals, ADamagedIndex) {
  const ScratchRepository scratch;
  fill(scratch);
  fs::resize_file(scratch.root() / ".git/index", fs::file_size(scratch.root() / ".git/index") / 2);
  EXPECT_THAT(refusal(scratch.root()),
              AllOf(HasSubstr(scratch.root().string()), HasSubstr("[git_repository_index]")));
}

TEST(Refusals, ARepositoryOfAnotherUserUntilItIsTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const ScratchRepository scratch;
  fill(scratch);
  const ScopedEnvironment not_by_sudo({{"SUDO_UID", std::nullopt}, {"SUDO_GID", std::nullopt}});
  constexpr uid_t kSomebodyElse = 4711;
  ASSERT_EQ(::chown(scratch.root().c_str(), kSomebodyElse, kSomebodyElse), 0);
  ASSERT_EQ(::chown((scratch.root() / ".git").c_str(), kSomebodyElse, kSomebodyElse), 0);
  const std::string top = scratch.root().string();
  EXPECT_THAT(refusal(scratch.root() / "a"),
              AllOf(HasSubstr("another user"),
                    HasSubstr("git config --global --add safe.directory '" + top + "'")));
  EXPECT_NE(scratch.try_git(scratch.root(), {"status"}).code, 0);
  scratch.git("config", "--global", "--add", "safe.directory", top);
  EXPECT_EQ(refusal(scratch.root() / "a"), "");
}

}  // namespace
}  // namespace autokernel::repo
