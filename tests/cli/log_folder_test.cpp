#include "cli/log_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "autokernel/base/error.h"
#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::cli {
namespace {

using test::contents;
using test::files_below;
using testing::AllOf;
using testing::EndsWith;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class Logs : public testing::Test {
 protected:
  Logs() { ::setenv("XDG_CACHE_HOME", (scratch_.path() / "cache").c_str(), 1); }
  ~Logs() override { ::unsetenv("XDG_CACHE_HOME"); }

  test::ScratchFolder scratch_;
};

TEST_F(Logs, HoldTheText) {
  EXPECT_EQ(contents(keep_log(scratch_.folder("case"), "all of it\n")), "all of it\n");
}

TEST_F(Logs, LieAtTheRootOfTheRepositoryThatHoldsTheCase) {
  scratch_.write("repo/.git/HEAD", "");
  const auto log = keep_log(scratch_.folder("repo/kernels/deep"), "text");
  EXPECT_EQ(log.parent_path(), scratch_.path() / "repo" / ".autokernel" / "logs");
}

TEST_F(Logs, LieAtTheRootOfAWorktreeToo) {
  scratch_.write("repo/.git", "gitdir: elsewhere");
  const auto log = keep_log(scratch_.folder("repo/kernels"), "text");
  EXPECT_EQ(log.parent_path(), scratch_.path() / "repo" / ".autokernel" / "logs");
}

TEST_F(Logs, InARepositoryAreInvisibleToGit) {
  scratch_.write("repo/.git/HEAD", "");
  (void)keep_log(scratch_.folder("repo"), "text");
  EXPECT_EQ(contents(scratch_.path() / "repo" / ".autokernel" / ".gitignore"), "*\n");
}

TEST_F(Logs, LieInTheCacheFolderWhereThereIsNoRepository) {
  const auto folder = scratch_.folder("case");
  const auto log = keep_log(folder, "text");
  EXPECT_EQ(log.parent_path(), scratch_.path() / "cache" / "autokernel" / "logs");
  EXPECT_THAT(files_below(folder), IsEmpty());
}

TEST_F(Logs, KeepTheNewestTwenty) {
  const auto folder = scratch_.folder("cache/autokernel/logs");
  for (int i = 10; i < 40; ++i) {
    scratch_.write(folder / ("bench-20200101T0000" + std::to_string(i) + ".000Z-1.log"), "old");
  }
  const auto newest = keep_log(scratch_.folder("case"), "new");
  EXPECT_THAT(files_below(folder), SizeIs(20));
  EXPECT_TRUE(std::filesystem::exists(newest));
  EXPECT_FALSE(std::filesystem::exists(folder / "bench-20200101T000020.000Z-1.log"));
  EXPECT_TRUE(std::filesystem::exists(folder / "bench-20200101T000021.000Z-1.log"));
}

TEST_F(Logs, JustWrittenStaysWhereTheClockWasSetBack) {
  const auto folder = scratch_.folder("cache/autokernel/logs");
  for (int i = 10; i < 40; ++i) {
    scratch_.write(folder / ("bench-29990101T0000" + std::to_string(i) + ".000Z-1.log"), "later");
  }
  const auto log = keep_log(scratch_.folder("case"), "new");
  EXPECT_TRUE(std::filesystem::exists(log));
  EXPECT_THAT(files_below(folder), SizeIs(20));
}

TEST_F(Logs, LeaveOtherFilesAlone) {
  const auto folder = scratch_.folder("cache/autokernel/logs");
  scratch_.write(folder / "bench-notes.txt", "mine");
  for (int i = 0; i < 25; ++i) (void)keep_log(scratch_.folder("case"), "new");
  EXPECT_TRUE(std::filesystem::exists(folder / "bench-notes.txt"));
}

TEST_F(Logs, AreBoundedInSize) {
  std::string long_text;
  long_text.resize(9'000'000, 'x');
  const auto log = keep_log(scratch_.folder("case"), "begin" + long_text + "end");
  EXPECT_THAT(contents(log), AllOf(SizeIs(Lt(2'200'000U)), StartsWith("begin"), EndsWith("end")));
}

TEST_F(Logs, HaveThePtxBesideThemForAsLongAsTheyAreKept) {
  const auto folder = scratch_.folder("cache/autokernel/logs");
  const auto first = keep_log(scratch_.folder("case"), "text");
  keep_ptx(first, ".version 9.0\n");
  const auto ptx = std::filesystem::path(first).replace_extension(".ptx");
  EXPECT_EQ(contents(ptx), ".version 9.0\n");
  for (int i = 10; i < 40; ++i) {
    scratch_.write(folder / ("bench-29990101T0000" + std::to_string(i) + ".000Z-1.log"), "later");
  }
  // Logs of one process have names of their own from one millisecond to the next.
  std::this_thread::sleep_for(std::chrono::milliseconds{2});
  (void)keep_log(scratch_.folder("case"), "new");
  EXPECT_FALSE(std::filesystem::exists(ptx));
}

TEST_F(Logs, ThatAreNoFilesHaveNoPtxBesideThem) {
  keep_ptx("/dev/null", ".version 9.0\n");
  EXPECT_FALSE(std::filesystem::exists("/dev/null.ptx"));
  const auto log = keep_log(scratch_.folder("case"), "text");
  keep_ptx(log, "");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(log).replace_extension(".ptx")));
}

TEST_F(Logs, ThatCannotBeWrittenAreAnErrorThatNamesTheFolder) {
  scratch_.write("cache", "a file where a folder should be");
  EXPECT_THAT([&] { (void)keep_log(scratch_.folder("case"), "text"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("cannot make the folder")));
}

}  // namespace
}  // namespace autokernel::cli
