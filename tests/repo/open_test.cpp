// Finding the repository that a path lies in, and naming files from its root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScopedEnvironment;
using test::ScratchRepository;

TEST(Open, ARepositoryIsFoundFromASubfolder) {
  const ScratchRepository scratch;
  scratch.write("a/b/file", "x");
  EXPECT_EQ(Repository::open(scratch.root() / "a/b").root(), scratch.root());
}

TEST(Open, ARepositoryIsFoundFromAFileInIt) {
  const ScratchRepository scratch;
  EXPECT_EQ(Repository::open(scratch.write("a/file", "x")).root(), scratch.root());
}

TEST(Open, TheRootHasNoLinksInIt) {
  const ScratchRepository scratch;
  fs::create_directory_symlink(scratch.root(), scratch.beside("link"));
  EXPECT_EQ(Repository::open(scratch.beside("link")).root(), scratch.root());
}

TEST(Open, ARepositoryIsStillOpenAfterAMove) {
  const ScratchRepository scratch;
  Repository first = Repository::open(scratch.root());
  const Repository second = std::move(first);
  EXPECT_EQ(second.head().branch, "main");
}

TEST(Open, AnEmptyHomeIsNoObstacle) {
  const ScratchRepository scratch;
  scratch.write("file", "x");
  scratch.commit("one");
  const ScopedEnvironment homeless({{"HOME", ""}, {"XDG_CONFIG_HOME", std::nullopt}});
  EXPECT_EQ(Repository::open(scratch.root()).head().branch, "main");
}

TEST(Open, NoHomeAtAllIsNoObstacle) {
  const ScratchRepository scratch;
  const ScopedEnvironment homeless({{"HOME", std::nullopt}, {"XDG_CONFIG_HOME", std::nullopt}});
  EXPECT_EQ(Repository::open(scratch.root()).head().branch, "main");
}

TEST(Relative, AFileIsNamedFromTheRoot) {
  const ScratchRepository scratch;
  const auto file = scratch.write("a/b c/file", "x");
  EXPECT_EQ(Repository::open(scratch.root()).relative(file), "a/b c/file");
}

TEST(Relative, AFileThatIsNotThereYetIsNamedToo) {
  const ScratchRepository scratch;
  EXPECT_EQ(Repository::open(scratch.root()).relative(scratch.root() / "new/../a//file"), "a/file");
}

TEST(Relative, AFolderIsNamedWithoutASlash) {
  const ScratchRepository scratch;
  scratch.write("a/b/file", "x");
  EXPECT_EQ(Repository::open(scratch.root()).relative(scratch.root() / "a/b/"), "a/b");
}

TEST(Relative, TheRootItselfHasAnEmptyName) {
  const ScratchRepository scratch;
  EXPECT_EQ(Repository::open(scratch.root()).relative(scratch.root()), "");
}

TEST(Relative, ALinkInTheWorktreeIsNamedAndNotFollowed) {
  const ScratchRepository scratch;
  fs::create_symlink("/etc/hostname", scratch.root() / "link");
  EXPECT_EQ(Repository::open(scratch.root()).relative(scratch.root() / "link"), "link");
}

TEST(Relative, ALinkFromElsewhereIsFollowed) {
  const ScratchRepository scratch;
  fs::create_symlink(scratch.write("file", "x"), scratch.beside("link"));
  EXPECT_EQ(Repository::open(scratch.root()).relative(scratch.beside("link")), "file");
}

TEST(Relative, AFileOutsideIsAnErrorOfTheUsers) {
  const ScratchRepository scratch;
  const Repository repository = Repository::open(scratch.root());
  try {
    static_cast<void>(repository.relative(scratch.beside("file")));
    FAIL() << "named a file outside";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(scratch.beside("file").string()));
  }
}

TEST(Relative, AFolderThatOnlyBeginsLikeTheRootIsOutside) {
  const ScratchRepository scratch;
  EXPECT_THROW(
      static_cast<void>(
          Repository::open(scratch.root()).relative(scratch.root().string() + "-copy/file")),
      Error);
}

}  // namespace
}  // namespace autokernel::repo
