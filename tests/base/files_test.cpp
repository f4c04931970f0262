#include "autokernel/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autokernel/base/error.h"
#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

using test::contents;
using test::ScratchFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::ThrowsMessage;

TEST(ReadFile, GivesEveryByteBack) {
  const ScratchFolder scratch;
  const std::string bytes("a\0b\r\n\xff", 6);
  EXPECT_EQ(read_file(scratch.write("file", bytes), "the file"), bytes);
}

TEST(ReadFile, NamesRoleAndPathOfAMissingFile) {
  EXPECT_THAT([] { (void)read_file("/nowhere/kernel.cu", "the kernel"); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("the kernel /nowhere/kernel.cu"), HasSubstr("No such file"))));
}

TEST(ReadFile, RefusesAFolder) {
  const ScratchFolder scratch;
  EXPECT_THAT([&] { (void)read_file(scratch.path(), "the kernel"); },
              ThrowsMessage<Error>(HasSubstr("it is a folder")));
}

TEST(ReadFile, RefusesADeviceThatNeverEnds) {
  EXPECT_THAT([] { (void)read_file("/dev/zero", "the kernel"); },
              ThrowsMessage<Error>(HasSubstr("not a regular file")));
}

TEST(ReadFile, RefusesAFileLargerThanTheLimit) {
  const ScratchFolder scratch;
  const auto file = scratch.write("large", std::string((1U << 20U) + 1, 'x'));
  EXPECT_THAT([&] { (void)read_file(file, "the kernel", 1U << 20U); },
              ThrowsMessage<Error>(HasSubstr("larger than 1 MiB")));
}

TEST(ReadFile, RefusesASparseFileOfAnySizeWithoutReadingIt) {
  const ScratchFolder scratch;
  const auto file = scratch.write("huge", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40U);
  EXPECT_THAT([&] { (void)read_file(file, "the kernel"); },
              ThrowsMessage<Error>(HasSubstr("larger than 64 MiB")));
}

TEST(ReadFile, WaitsForNobodyWhoMightWriteIntoAPipe) {
  const ScratchFolder scratch;
  const auto pipe = scratch.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT([&] { (void)read_file(pipe, "the kernel"); },
              ThrowsMessage<Error>(HasSubstr("not a regular file")));
}

TEST(ReadFileBelow, GivesAFileAndKnowsWhereThereIsNone) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path() / "parts");
  scratch.write("parts/file", "text");
  EXPECT_EQ(read_file_below(scratch.path(), "parts/file", "the file"), "text");
  EXPECT_EQ(read_file_below(scratch.path(), "parts/other", "the file"), std::nullopt);
  EXPECT_EQ(read_file_below(scratch.path(), "nowhere/file", "the file"), std::nullopt);
  EXPECT_EQ(read_file_below(scratch.path() / "nowhere", "file", "the file"), std::nullopt);
}

TEST(ReadFileBelow, FollowsNoLink) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path() / "parts");
  scratch.write("parts/file", "text");
  std::filesystem::create_symlink("parts/file", scratch.path() / "link");
  std::filesystem::create_directory_symlink("parts", scratch.path() / "folder");
  EXPECT_THAT([&] { (void)read_file_below(scratch.path(), "link", "the file"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("symbolic link"), HasSubstr("put a copy"))));
  EXPECT_THAT([&] { (void)read_file_below(scratch.path(), "folder/file", "the file"); },
              ThrowsMessage<Error>(HasSubstr("a folder above it is a link")));
}

TEST(ReadFileBelow, RefusesWhatIsNoRegularFile) {
  const ScratchFolder scratch;
  ASSERT_EQ(::mkfifo((scratch.path() / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(scratch.path() / "folder");
  EXPECT_THAT([&] { (void)read_file_below(scratch.path(), "pipe", "the file"); },
              ThrowsMessage<Error>(HasSubstr("not a regular file")));
  EXPECT_THAT([&] { (void)read_file_below(scratch.path(), "folder", "the file"); },
              ThrowsMessage<Error>(HasSubstr("it is a folder")));
}

TEST(AppendLineBelow, AddsToWhatIsThere) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path() / "parts");
  append_line_below(scratch.path(), "parts/file", "one\n");
  append_line_below(scratch.path(), "parts/file", "two\n");
  EXPECT_EQ(contents(scratch.path() / "parts/file"), "one\ntwo\n");
}

TEST(AppendLineBelow, BeginsALineOfItsOwnBehindOneThatWasCutOff) {
  const ScratchFolder scratch;
  const auto file = scratch.write("file", "one\ntw");
  append_line_below(scratch.path(), "file", "three\n");
  EXPECT_EQ(contents(file), "one\ntw\nthree\n");
}

TEST(AppendLineBelow, FollowsNoLinkAndMakesNoFolder) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path() / "parts");
  const auto file = scratch.write("parts/file", "text");
  std::filesystem::create_symlink("parts/file", scratch.path() / "link");
  std::filesystem::create_directory_symlink("parts", scratch.path() / "folder");
  for (const char* path : {"link", "folder/file", "nowhere/file", "parts/../parts/file", "parts"}) {
    EXPECT_THAT([&] { append_line_below(scratch.path(), path, "more\n"); },
                testing::Throws<Error>(Property(&Error::stop, Stop::environment)))
        << path;
  }
  EXPECT_EQ(contents(file), "text");
}

TEST(ReadFile, BlamesTheUserForAPathThatCannotBeRead) {
  EXPECT_THAT([] { (void)read_file("/nowhere", "the kernel"); },
              testing::Throws<Error>(Property(&Error::stop, Stop::usage)));
}

TEST(WriteFile, MakesANewFile) {
  const ScratchFolder scratch;
  write_file_atomically(scratch.path() / "new", "text");
  EXPECT_EQ(contents(scratch.path() / "new"), "text");
}

TEST(WriteFile, ReplacesAFileWhole) {
  const ScratchFolder scratch;
  const auto file = scratch.write("file", "something much longer than what follows");
  write_file_atomically(file, "short");
  EXPECT_EQ(contents(file), "short");
}

TEST(WriteFile, LeavesNothingBesideTheFile) {
  const ScratchFolder scratch;
  write_file_atomically(scratch.path() / "file", "text");
  EXPECT_THAT(test::files_below(scratch.path()), ElementsAre("file"));
}

TEST(WriteFile, KeepsTheModeOfTheFileItReplaces) {
  const ScratchFolder scratch;
  const auto file = scratch.write("file", "old");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  write_file_atomically(file, "new");
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(WriteFile, ThatFailsLeavesNothingBehind) {
  const ScratchFolder scratch;
  const auto folder = scratch.folder("target");
  scratch.write("target/inside", "");
  // A folder cannot be replaced by a file: the rename, the very last step, fails.
  EXPECT_THAT([&] { write_file_atomically(folder, "text"); },
              ThrowsMessage<Error>(HasSubstr("[rename]")));
  EXPECT_THAT(test::files_below(scratch.path()), ElementsAre("target", "target/inside"));
}

TEST(WriteFile, NamesTheFileInAFolderThatIsMissing) {
  EXPECT_THAT([] { write_file_atomically("/nowhere/file", "text"); },
              ThrowsMessage<Error>(HasSubstr("cannot write /nowhere/file: No such file")));
}

TEST(CreateFile, MakesANewFileAndLeavesNothingBesideIt) {
  const test::ScratchFolder scratch;
  create_file_atomically(scratch.path() / "new", "bytes");
  EXPECT_EQ(test::contents(scratch.path() / "new"), "bytes");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
}

TEST(CreateFile, LeavesWhatIsThereAsItIs) {
  const test::ScratchFolder scratch;
  const std::filesystem::path file = scratch.write("taken", "old");
  const std::filesystem::path link = scratch.path() / "link";
  std::filesystem::create_symlink("nowhere", link);
  for (const std::filesystem::path& path : {file, link}) {
    EXPECT_THAT([&] { create_file_atomically(path, "new"); },
                ThrowsMessage<Error>(HasSubstr("it is there already")));
  }
  EXPECT_EQ(test::contents(file), "old");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 2);
}

TEST(UnfinishedWrites, OfThatFileAreRemovedAndNothingElse) {
  const ScratchFolder scratch;
  const auto file = scratch.write("file", "whole");
  scratch.write(".file.0123456789abcdef", "half");
  scratch.write(".file.fedcba9876543210", "half");
  scratch.write(".file.0123456789abcde", "too short a name");
  scratch.write(".file.0123456789abcdeX", "no digit at the end");
  scratch.write(".other.0123456789abcdef", "of another file");
  static_cast<void>(scratch.folder(".file.aaaaaaaaaaaaaaaa"));
  remove_unfinished_writes(file);
  EXPECT_THAT(test::files_below(scratch.path()),
              ElementsAre(".file.0123456789abcde", ".file.0123456789abcdeX",
                          ".file.aaaaaaaaaaaaaaaa", ".other.0123456789abcdef", "file"));
}

TEST(UnfinishedWrites, AreNoneInAFolderThatIsMissing) {
  EXPECT_NO_THROW(remove_unfinished_writes("/nowhere/file"));
}

}  // namespace
}  // namespace autokernel
