// What has changed, as the loop needs to know it: one entry for each path, and nothing that git
// ignores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScratchRepository;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Changes : public ::testing::Test {
 protected:
  Changes() {
    scratch_.write("a/one", "1\n");
    scratch_.write("b/two", "2\n");
    scratch_.write("three", "3\n");
    scratch_.write(".gitignore", "*.log\nbuild/\n");
    first_ = scratch_.commit("files");
  }
  [[nodiscard]] std::vector<Change> changes() const {
    return Repository::open(scratch_.root()).changes();
  }
  [[nodiscard]] std::string id(const std::string& path) const {
    return scratch_.line("hash-object", "--", path);
  }
  ScratchRepository scratch_;
  std::string first_;
};

// Its bytes, which are none, would be read for half a minute.
TEST_F(Changes, AHugeFileIsKnownByItsPlaceSizeAndTimes) {
  const fs::path file = scratch_.write("huge", "");
  fs::resize_file(file, std::uintmax_t{6} << 30U);
  const auto before = changes();
  ASSERT_EQ(before.size(), 1U);
  EXPECT_FALSE(before[0].is_read);
  EXPECT_EQ(before[0].blob.size(), 40U);
  EXPECT_EQ(changes(), before);
  fs::resize_file(file, (std::uintmax_t{6} << 30U) + 1);
  EXPECT_NE(changes(), before);
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_EQ(repository.hash_of("huge"), changes()[0].blob);
  EXPECT_FALSE(repository.has_blob(changes()[0].blob));
  EXPECT_THROW(static_cast<void>(repository.store("huge")), Error);
}

TEST_F(Changes, OfManyLargeFilesTheFirstAreRead) {
  for (int i = 0; i < 6; ++i) {
    fs::resize_file(scratch_.write("large" + std::to_string(i), ""), std::uintmax_t{60} << 20U);
  }
  const auto found = changes();
  ASSERT_EQ(found.size(), 6U);
  EXPECT_TRUE(found[3].is_read);
  EXPECT_FALSE(found[4].is_read);
}

TEST_F(Changes, AFileThatGitKnowsAndIsTooLongToBeComparedIsNamed) {
  fs::resize_file(scratch_.root() / "three", (std::uintmax_t{1} << 40U) + 2);
  EXPECT_THAT([&] { static_cast<void>(changes()); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("git checkout -- ")));
}

TEST_F(Changes, NoneInACleanRepository) { EXPECT_THAT(changes(), IsEmpty()); }

TEST_F(Changes, AModifiedFile) {
  scratch_.write("a/one", "other\n");
  EXPECT_THAT(changes(), ElementsAre(Change{"a/one", id("a/one"), true, "modified"}));
}

TEST_F(Changes, ADeletedFileHasNoId) {
  fs::remove(scratch_.root() / "b/two");
  EXPECT_THAT(changes(), ElementsAre(Change{"b/two", "", true, "deleted"}));
}

TEST_F(Changes, AFileDeletedByGit) {
  scratch_.git("rm", "--quiet", "b/two");
  EXPECT_THAT(changes(), ElementsAre(Change{"b/two", "", true, "deleted"}));
}

TEST_F(Changes, AFileTakenOutOfTheIndexAlone) {
  scratch_.git("rm", "--quiet", "--cached", "three");
  EXPECT_THAT(changes(), ElementsAre(Change{"three", id("three"), true, "staged"}));
}

TEST_F(Changes, ANewFile) {
  scratch_.write("a/new", "new\n");
  EXPECT_THAT(changes(), ElementsAre(Change{"a/new", id("a/new"), true, "new"}));
}

TEST_F(Changes, RulesThatHideThemselvesAreNew) {
  scratch_.write(".gitignore", "*.log\nbuild/\n/a/\n");
  scratch_.git("add", ".gitignore");
  scratch_.git("commit", "-qm", "rules");
  scratch_.write("sub/.gitignore", ".gitignore\nhidden.py\n");
  scratch_.write("sub/hidden.py", "1\n");
  scratch_.write("sub/seen.py", "1\n");
  scratch_.git("add", "sub/seen.py");
  scratch_.git("commit", "-qm", "seen");
  EXPECT_THAT(changes(), ElementsAre(Change{"sub/.gitignore", id("sub/.gitignore"), true, "new"}));
  // What is ignored as a whole has rules of its own.
  scratch_.write("build/.gitignore", "*\n");
  EXPECT_THAT(changes(), testing::SizeIs(1));
}

TEST_F(Changes, ANewFolderIsOneWhateverItHolds) {
  scratch_.write("folder/x/one", "1\n");
  scratch_.write("folder/y", "2\n");
  EXPECT_THAT(changes(), ElementsAre(Change{"folder/", "", true, "new"}));
}

TEST_F(Changes, AnEmptyFolderIsNone) {
  fs::create_directories(scratch_.root() / "empty/er");
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(Changes, IgnoredFilesAreNone) {
  scratch_.write("some.log", "text\n");
  scratch_.write("build/object", "text\n");
  scratch_.write("only/ignored.log", "text\n");
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(Changes, FilesIgnoredInThisRepositoryAloneAreNone) {
  scratch_.write(".git/info/exclude", "private\n");
  scratch_.write("private", "text\n");
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(Changes, AStagedFile) {
  scratch_.write("a/one", "other\n");
  scratch_.git("add", "a/one");
  EXPECT_THAT(changes(), ElementsAre(Change{"a/one", id("a/one"), true, "staged"}));
}

TEST_F(Changes, AStagedNewFile) {
  scratch_.write("new", "new\n");
  scratch_.git("add", "new");
  EXPECT_THAT(changes(), ElementsAre(Change{"new", id("new"), true, "staged"}));
}

TEST_F(Changes, AFileThatWasStagedAndEditedAgainHasTheIdOfTheWorktree) {
  scratch_.write("a/one", "staged\n");
  scratch_.git("add", "a/one");
  scratch_.write("a/one", "edited\n");
  EXPECT_THAT(changes(), ElementsAre(Change{"a/one", id("a/one"), true, "modified"}));
}

TEST_F(Changes, AFileThatIsStagedAndAgainAsInTheHeadIsOne) {
  scratch_.write("a/one", "staged\n");
  scratch_.git("add", "a/one");
  scratch_.write("a/one", "1\n");
  EXPECT_THAT(changes(), ElementsAre(Change{"a/one", id("a/one"), true, "modified"}));
}

TEST_F(Changes, AConflict) {
  scratch_.git("switch", "--quiet", "--create", "other");
  scratch_.write("three", "other\n");
  scratch_.commit("other");
  scratch_.git("switch", "--quiet", "main");
  scratch_.write("three", "main\n");
  scratch_.commit("main");
  static_cast<void>(scratch_.try_git(scratch_.root(), {"merge", "other"}));
  EXPECT_THAT(changes(), ElementsAre(Change{"three", id("three"), true, "in conflict"}));
}

TEST_F(Changes, AFileThatOnlyLooksNewerIsNone) {
  const Repository repository = Repository::open(scratch_.root());
  fs::last_write_time(scratch_.root() / "a/one",
                      fs::file_time_type::clock::now() + std::chrono::hours{1});
  EXPECT_THAT(repository.changes(), IsEmpty());
}

TEST_F(Changes, LookingDoesNotWriteTheIndex) {
  fs::last_write_time(scratch_.root() / "a/one",
                      fs::file_time_type::clock::now() + std::chrono::hours{1});
  const std::string index = scratch_.read(".git/index");
  static_cast<void>(changes());
  EXPECT_EQ(scratch_.read(".git/index"), index);
}

TEST_F(Changes, AFileThatWasMadeExecutable) {
  fs::permissions(scratch_.root() / "three", fs::perms::owner_all);
  EXPECT_THAT(changes(), ElementsAre(Change{"three", id("three"), true, "modified"}));
}

TEST_F(Changes, AFileReplacedByALink) {
  fs::remove(scratch_.root() / "three");
  fs::create_symlink("a/one", scratch_.root() / "three");
  const auto all = changes();
  scratch_.git("add", "three");
  EXPECT_THAT(all,
              ElementsAre(Change{"three", scratch_.line("rev-parse", ":three"), true, "modified"}));
}

TEST_F(Changes, AFileReplacedByAFolder) {
  fs::remove(scratch_.root() / "three");
  scratch_.write("three/file", "x\n");
  EXPECT_THAT(changes(),
              ElementsAre(Change{"three", "", true, "deleted"}, Change{"three/", "", true, "new"}));
}

TEST_F(Changes, AFolderReplacedByALink) {
  fs::rename(scratch_.root() / "a", scratch_.beside("elsewhere"));
  fs::create_directory_symlink(scratch_.beside("elsewhere"), scratch_.root() / "a");
  const auto all = changes();
  scratch_.git("add", "a");
  EXPECT_THAT(all, ElementsAre(Change{"a", scratch_.line("rev-parse", ":a"), true, "new"},
                               Change{"a/one", "", true, "deleted"}));
}

TEST_F(Changes, NamesOfAllKindsAreTakenAsTheyAre) {
  scratch_.write("a b", "1\n");
  scratch_.write("*", "2\n");
  scratch_.write(":top", "3\n");
  scratch_.write("größe", "4\n");
  scratch_.write("[x]", "5\n");
  EXPECT_THAT(
      changes(),
      ElementsAre(Change{"*", id("*"), true, "new"}, Change{":top", id(":top"), true, "new"},
                  Change{"[x]", id("[x]"), true, "new"}, Change{"a b", id("a b"), true, "new"},
                  Change{"größe", id("größe"), true, "new"}));
}

TEST_F(Changes, ASubmoduleIsLeftOut) {
  const ScratchRepository other;
  other.write("file", "x\n");
  other.commit("one");
  scratch_.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add",
               other.root().string(), "sub");
  scratch_.commit("submodule");
  scratch_.write("sub/file", "changed\n");
  scratch_.write("sub/new", "new\n");
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(Changes, AnotherRepositoryPutInsideIsANewFolder) {
  scratch_.git("clone", "--quiet", ".", "inner");
  EXPECT_THAT(changes(), ElementsAre(Change{"inner/", "", true, "new"}));
}

TEST_F(Changes, WhatASparseCheckoutLeavesOutIsNone) {
  scratch_.git("sparse-checkout", "set", "--cone", "--no-sparse-index", "a");
  ASSERT_FALSE(fs::exists(scratch_.root() / "b"));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(Changes, WhatIsPassedOverIsNone) {
  scratch_.write("a/one", "other\n");
  scratch_.write("new", "new\n");
  const auto others = Repository::open(scratch_.root()).changes([](const std::string& path) {
    return path == "a/one";
  });
  EXPECT_THAT(others, ElementsAre(Change{"new", id("new"), true, "new"}));
}

TEST_F(Changes, AllOfThemInTheOrderOfTheirPaths) {
  scratch_.write("z", "new\n");
  scratch_.write("three", "other\n");
  fs::remove(scratch_.root() / "b/two");
  scratch_.write("a/one", "staged\n");
  scratch_.git("add", "a/one");
  EXPECT_THAT(changes(), ElementsAre(Change{"a/one", id("a/one"), true, "staged"},
                                     Change{"b/two", "", true, "deleted"},
                                     Change{"three", id("three"), true, "modified"},
                                     Change{"z", id("z"), true, "new"}));
}

TEST_F(Changes, WhatChangesMeanwhileIsSeenByTheNextLook) {
  const Repository repository = Repository::open(scratch_.root());
  EXPECT_THAT(repository.changes(), IsEmpty());
  scratch_.write("a/one", "other\n");
  scratch_.git("add", "a/one");
  EXPECT_THAT(repository.changes(), ElementsAre(Change{"a/one", id("a/one"), true, "staged"}));
  scratch_.commit("other");
  EXPECT_THAT(repository.changes(), IsEmpty());
}

TEST(ChangesOfANewRepository, AreAllItsFiles) {
  const ScratchRepository scratch;
  scratch.write("file", "x\n");
  scratch.write("folder/file", "x\n");
  EXPECT_THAT(Repository::open(scratch.root()).changes(),
              ElementsAre(Change{"file", scratch.line("hash-object", "file"), true, "new"},
                          Change{"folder/", "", true, "new"}));
}

}  // namespace
}  // namespace autokernel::repo
