#include "ledger/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "autokernel/base/error.h"
#include "ledger/full_disk.h"
#include "support/scratch_folder.h"

namespace autokernel::ledger {
namespace {

using test::ScratchFolder;
using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

auto fails_with(const std::string& text) {
  return Throws<Error>(
      AllOf(Property(&Error::stop, Stop::environment), Property(&Error::what, HasSubstr(text))));
}

TEST(LedgerFile, IsMadeWhereItIsMissing) {
  const ScratchFolder scratch;
  EXPECT_TRUE(File::open_or_make(scratch.path() / "file").is_new());
  EXPECT_FALSE(File::open_or_make(scratch.path() / "file").is_new());
}

TEST(LedgerFile, IsNeverOpenedThroughALink) {
  const ScratchFolder scratch;
  std::filesystem::create_symlink("target", scratch.path() / "link");
  const auto open = [&] { static_cast<void>(File::open_or_make(scratch.path() / "link")); };
  EXPECT_THAT(open, fails_with("it is a symbolic link"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "target"));
  scratch.write("target", "precious");
  EXPECT_THAT(open, fails_with("it is a symbolic link"));
  EXPECT_EQ(test::contents(scratch.path() / "target"), "precious");
}

TEST(LedgerFile, IsNotMadeTwice) {
  const ScratchFolder scratch;
  EXPECT_TRUE(File::make_new(scratch.path() / "file").has_value());
  EXPECT_FALSE(File::make_new(scratch.path() / "file").has_value());
}

TEST(LedgerFile, IsReadAsFarAsItGoes) {
  const ScratchFolder scratch;
  const File file = File::open_or_make(scratch.write("file", "0123456789"));
  EXPECT_EQ(file.read(2, 3), "234");
  EXPECT_EQ(file.read(8, 100), "89");
  EXPECT_EQ(file.read(10, 1), "");
  EXPECT_EQ(file.read(1000, 1), "");
}

TEST(LedgerFile, ThatCannotGrowIsLeftAsItWas) {
  const ScratchFolder scratch;
  const File file = File::open_or_make(scratch.write("file", "0123456789"));
  const test::FullDisk full(15);
  EXPECT_THAT([&] { file.write_whole(10, "more than five"); }, fails_with("cannot write"));
  EXPECT_EQ(test::contents(scratch.path() / "file"), "0123456789");
}

TEST(LedgerFile, IsNoFolderAndNoPipe) {
  const ScratchFolder scratch;
  const auto pipe = scratch.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT([&] { (void)File::open_or_make(pipe); }, fails_with("not a regular file"));
  EXPECT_THAT([&] { (void)File::open_or_make(scratch.path()); }, fails_with("cannot open"));
}

TEST(LedgerFile, InAFolderThatIsMissingIsAnError) {
  EXPECT_THAT([] { (void)File::open_or_make("/nowhere/file"); },
              fails_with("cannot open /nowhere/file"));
}

}  // namespace
}  // namespace autokernel::ledger
