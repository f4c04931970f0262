// Bytes of the worktree's files: compared, kept and put back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/repo/repository.h"
#include "support/scratch_repository.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;
using test::ScratchRepository;

TEST(FileMatches, OnlyWhereTheBytesAreTheCommits) {
  const ScratchRepository scratch;
  scratch.write("file", "one\n");
  const std::string commit = scratch.commit("one");
  const Repository repository = Repository::open(scratch.root());
  EXPECT_TRUE(repository.file_matches(commit, "file"));
  scratch.write("file", "two\n");
  EXPECT_FALSE(repository.file_matches(commit, "file"));
}

TEST(FileMatches, AFileThatIsGoneDoesNot) {
  const ScratchRepository scratch;
  scratch.write("file", "one\n");
  const std::string commit = scratch.commit("one");
  fs::remove(scratch.root() / "file");
  EXPECT_FALSE(Repository::open(scratch.root()).file_matches(commit, "file"));
}

TEST(FileMatches, AFileThatTheCommitLacksDoesNot) {
  const ScratchRepository scratch;
  const std::string commit = scratch.commit("none");
  scratch.write("file", "one\n");
  EXPECT_FALSE(Repository::open(scratch.root()).file_matches(commit, "file"));
}

TEST(HashOf, IsWhatGitComputes) {
  const ScratchRepository scratch;
  scratch.write("file", "some bytes\n");
  EXPECT_EQ(Repository::open(scratch.root()).hash_of("file"), scratch.line("hash-object", "file"));
}

TEST(HashOf, KeepsNothing) {
  const ScratchRepository scratch;
  scratch.write("file", "some bytes\n");
  const std::string id = Repository::open(scratch.root()).hash_of("file");
  EXPECT_NE(scratch.try_git(scratch.root(), {"cat-file", "-e", id}).code, 0);
}

TEST(HashOf, IsEmptyForWhatIsNoFile) {
  const ScratchRepository scratch;
  scratch.write("folder/file", "x");
  ASSERT_EQ(::mkfifo((scratch.root() / "pipe").c_str(), 0600), 0);
  const Repository repository = Repository::open(scratch.root());
  EXPECT_EQ(repository.hash_of("none"), "");
  EXPECT_EQ(repository.hash_of("folder"), "");
  EXPECT_EQ(repository.hash_of("pipe"), "");
  EXPECT_EQ(repository.hash_of("folder/file/below"), "");
}

TEST(HashOf, OfALinkIsTheIdOfWhatItSays) {
  const ScratchRepository scratch;
  fs::create_symlink("nowhere", scratch.root() / "link");
  const std::string id = Repository::open(scratch.root()).hash_of("link");
  scratch.commit("link");
  EXPECT_EQ(id, scratch.line("rev-parse", "HEAD:link"));
}

TEST(Store, KeepsTheBytesAsGitWould) {
  const ScratchRepository scratch;
  scratch.write("file", "some bytes\n");
  const std::string id = Repository::open(scratch.root()).store("file");
  EXPECT_EQ(scratch.git("cat-file", "blob", id), "some bytes\n");
  EXPECT_EQ(scratch.git("fsck", "--strict", "--no-dangling"), "");
}

TEST(Store, WhatIsNotThereIsAnError) {
  const ScratchRepository scratch;
  EXPECT_THROW(static_cast<void>(Repository::open(scratch.root()).store("none")), Error);
}

TEST(PutBack, ReplacesTheFileAndLeavesTheIndex) {
  const ScratchRepository scratch;
  scratch.write("file", "one\n");
  scratch.commit("one");
  scratch.write("file", "mine\n");
  const Repository repository = Repository::open(scratch.root());
  const std::string mine = repository.store("file");
  scratch.write("file", "somebody else's\n");
  const std::string index = scratch.read(".git/index");
  repository.put_back(mine, "file");
  EXPECT_EQ(scratch.read("file"), "mine\n");
  EXPECT_EQ(scratch.read(".git/index"), index);
}

TEST(PutBack, AFileThatIsGoneComesBackWithItsFolder) {
  const ScratchRepository scratch;
  scratch.write("folder/file", "mine\n");
  const Repository repository = Repository::open(scratch.root());
  const std::string mine = repository.store("folder/file");
  fs::remove_all(scratch.root() / "folder");
  repository.put_back(mine, "folder/file");
  EXPECT_EQ(scratch.read("folder/file"), "mine\n");
}

TEST(PutBack, LeavesNothingElseBehind) {
  const ScratchRepository scratch;
  scratch.write("file", "mine\n");
  const Repository repository = Repository::open(scratch.root());
  repository.put_back(repository.store("file"), "file");
  EXPECT_EQ(scratch.git("status", "--porcelain"), "?? file\n");
}

TEST(PutBack, BytesThatWereNeverKeptAreAnErrorAndTheFileStays) {
  const ScratchRepository scratch;
  scratch.write("file", "mine\n");
  const Repository repository = Repository::open(scratch.root());
  EXPECT_THROW(repository.put_back(std::string(40, '1'), "file"), Error);
  EXPECT_EQ(scratch.read("file"), "mine\n");
}

}  // namespace
}  // namespace autokernel::repo
