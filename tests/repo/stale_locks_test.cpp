// Locks that nobody holds are removed, and no others.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "autokernel/base/descriptor.h"
#include "autokernel/repo/repository.h"
#include "support/program.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScratchRepository;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(StaleLocks, ThoseOfIndexHeadReferencesAndPackedReferencesAreRemoved) {
  const ScratchRepository scratch;
  scratch.commit("one");
  scratch.write(".git/index.lock", "");
  scratch.write(".git/HEAD.lock", "");
  scratch.write(".git/packed-refs.lock", "");
  scratch.write(".git/refs/heads/main.lock", "");
  scratch.write(".git/refs/autokernel/demo/7.lock", "");
  EXPECT_THAT(Repository::open(scratch.root())
                  .remove_stale_locks({"refs/heads/main", "refs/autokernel/demo/7"}),
              UnorderedElementsAre("index.lock", "HEAD.lock", "packed-refs.lock",
                                   "refs/heads/main.lock", "refs/autokernel/demo/7.lock"));
  EXPECT_FALSE(fs::exists(scratch.root() / ".git/index.lock"));
  EXPECT_FALSE(fs::exists(scratch.root() / ".git/refs/autokernel/demo/7.lock"));
  scratch.write("file", "x");
  scratch.commit("two");
}

TEST(StaleLocks, NoneIsNothingToDo) {
  const ScratchRepository scratch;
  EXPECT_THAT(Repository::open(scratch.root()).remove_stale_locks({"refs/heads/main"}), IsEmpty());
}

TEST(StaleLocks, ThoseOfOtherReferencesStay) {
  const ScratchRepository scratch;
  const auto lock = scratch.write(".git/refs/heads/other.lock", "");
  EXPECT_THAT(Repository::open(scratch.root()).remove_stale_locks({"refs/heads/main"}), IsEmpty());
  EXPECT_TRUE(fs::exists(lock));
}

TEST(StaleLocks, OneThatALivingProcessHoldsOpenStays) {
  const ScratchRepository scratch;
  const auto lock = scratch.write(".git/index.lock", "");
  const Repository repository = Repository::open(scratch.root());
  Descriptor held(::open(lock.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(repository.remove_stale_locks({}), IsEmpty());
  EXPECT_TRUE(fs::exists(lock));
  held.close();
  EXPECT_THAT(repository.remove_stale_locks({}), ElementsAre("index.lock"));
}

// As an editor that git has started: git itself has closed the lock by then.
TEST(StaleLocks, TheIndexStaysLockedWhileSomebodyWritesTheMessageOfACommit) {
  const ScratchRepository scratch;
  scratch.write("file", "one");
  scratch.commit("one");
  scratch.write("file", "two");
  const fs::path editing = scratch.beside("editing");
  const fs::path done = scratch.beside("done");
  scratch.write(scratch.beside("editor"), "#!/bin/sh\necho two >\"$1\"\ntouch '" +
                                              editing.string() + "'\nwhile [ ! -e '" +
                                              done.string() + "' ]; do sleep 0.01; done\n");
  fs::permissions(scratch.beside("editor"), fs::perms::owner_all);
  auto environment = scratch.environment();
  environment["GIT_EDITOR"] = scratch.beside("editor").string();
  test::RunningProgram commit({.program = "/usr/bin/env",
                               .arguments = {"git", "commit", "--quiet", "--all"},
                               .directory = scratch.root(),
                               .environment = environment});
  for (int i = 0; i < 1000 && !fs::exists(editing); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  ASSERT_TRUE(fs::exists(scratch.root() / ".git/index.lock"));
  EXPECT_THAT(Repository::open(scratch.root()).remove_stale_locks({}), IsEmpty());
  scratch.write(done, "");
  EXPECT_EQ(commit.wait().code, 0);
  EXPECT_EQ(scratch.line("log", "-1", "--format=%s"), "two");
}

TEST(StaleLocks, TheOperationsThemselvesLeaveNone) {
  const ScratchRepository scratch;
  scratch.write("file", "one");
  const std::string first = scratch.commit("one");
  scratch.write("file", "two");
  const Repository repository = Repository::open(scratch.root());
  const std::string second = repository.commit_files(first, {"file"}, "two");
  repository.set_reference("refs/autokernel/demo/1", second);
  repository.move_branch("main", first, second);
  repository.check_out(second, "file");
  repository.delete_reference("refs/autokernel/demo/1");
  EXPECT_THAT(repository.remove_stale_locks({"refs/heads/main", "refs/autokernel/demo/1"}),
              IsEmpty());
}

}  // namespace
}  // namespace autokernel::repo
