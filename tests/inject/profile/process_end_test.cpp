#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "recording.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Longer than the tenth of a second between two writes, also where the machine is busy.
const std::string kUntilWritten = "sleep=400";

// GCC 12's ThreadSanitizer takes a thread of a child that was forked for one of its parent.
#if defined(__SANITIZE_THREAD__)
constexpr bool kChildMayHaveThreads = false;
#else
constexpr bool kChildMayHaveThreads = true;
#endif

TEST(RecordingEnd, OrderlyEndIsTheLastLineOfBothFiles) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "nvtx", "push=a", "launch=saxpy", "pop", "exit"}).code, 0);
  EXPECT_EQ(recorded.file("gpu").lines.back()[0], "E");
  EXPECT_EQ(recorded.file("program").lines.back()[0], "E");
}

TEST(RecordingEnd, ProgramThatLeavesAtOnceLosesOnlyTheLast) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=first", kUntilWritten, "launch=last", "_exit"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("K"), AllOf(SizeIs(testing::Ge(1U)), SizeIs(Le(2U))));
  EXPECT_THAT(file.of("L"), SizeIs(testing::Ge(1U)));
  EXPECT_THAT(file.of("E"), IsEmpty());
  EXPECT_TRUE(file.bytes.ends_with('\n'));
}

TEST(RecordingEnd, KilledProgramLosesOnlyTheLast) {
  Recorded recorded;
  ASSERT_EQ(
      recorded.play({"cuda", "nvtx", "push=a", "pop", "launches=1000", kUntilWritten, "kill"}).code,
      128 + SIGKILL);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("K"), SizeIs(1000));
  EXPECT_THAT(file.of("L"), SizeIs(1000));
  EXPECT_THAT(file.of("E"), IsEmpty());
  EXPECT_THAT(recorded.file("program").of("R"), SizeIs(1));
}

TEST(RecordingEnd, ForkedChildDoesNotWriteIntoItsParentsFile) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=parent", "fork", "launch=child", "exit"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("K"), SizeIs(1));
  EXPECT_THAT(file.of("L"), SizeIs(1));
  EXPECT_THAT(file.of("E"), SizeIs(1));
}

TEST(RecordingEnd, ForkedChildThatStartsCudaItselfHasAFileOfItsOwn) {
  if (!kChildMayHaveThreads) GTEST_SKIP() << "ThreadSanitizer refuses";
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "push=parent", "fork", "cuda", "launch=child", "exit"}).code, 0);
  const RecordLines gpu = recorded.file("gpu");
  EXPECT_THAT(gpu.of("K"), SizeIs(1));
  const RecordLines program = recorded.file("program");
  ASSERT_THAT(program.of("R"), SizeIs(1));
  EXPECT_EQ(program.of("R")[0][4], "parent");
  EXPECT_EQ(gpu.lines[0][4], program.lines[0][3]);
}

TEST(RecordingEnd, RangesOfAForkedChildAreItsOwn) {
  if (!kChildMayHaveThreads) GTEST_SKIP() << "ThreadSanitizer refuses";
  Recorded recorded;
  ASSERT_EQ(
      recorded
          .play({"nvtx", "push=parent", kUntilWritten, "fork", "pop", "push=child", "pop", "exit"})
          .code,
      0);
  const auto files = recorded.files("program");
  ASSERT_THAT(files, SizeIs(2));
  const bool first_is_child = files[0].lines[0][4] == files[1].lines[0][3];
  const RecordLines& child = files[first_is_child ? 0 : 1];
  const RecordLines& parent = files[first_is_child ? 1 : 0];
  ASSERT_THAT(child.of("R"), SizeIs(1));
  EXPECT_EQ(child.of("R")[0][4], "child");
  EXPECT_EQ(child.of("R")[0][1], child.lines[0][3]);
  ASSERT_THAT(parent.of("R"), SizeIs(1));
  EXPECT_EQ(parent.of("R")[0][4], "parent");
}

TEST(RecordingEnd, FileThatMayNotGrowEndsWithAWarning) {
  Recorded recorded;
  const Outcome outcome =
      recorded.play({"limit=20000", "cuda", "launches=1000", kUntilWritten, "launches=10"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "done\n");
  const RecordLines file = recorded.file("gpu");
  EXPECT_LE(file.bytes.size(), 20'000U);
  ASSERT_FALSE(file.lines.empty());
  EXPECT_EQ(file.lines[0][0], "autokernel-profile");
  ASSERT_EQ(file.lines.back()[0], "W");
  EXPECT_THAT(file.lines.back()[1], StartsWith("the recording stopped before the program did"));
  EXPECT_TRUE(file.bytes.ends_with('\n'));
}

TEST(RecordingEnd, FolderThatIsGoneDoesNotDisturb) {
  Recorded recorded;
  const Outcome outcome = recorded.play({"cuda", "nvtx", "launch=saxpy", "push=a", "pop"},
                                        {{"AUTOKERNEL_PROFILE_DIR", "/nowhere/at/all"}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "done\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(RecordingEnd, FolderThatGoesMeanwhileDoesNotDisturb) {
  Recorded recorded;
  RunningProgram running = recorded.started({"cuda", "launch=saxpy", "sleep=600", "launch=saxpy"});
  while (recorded.files("gpu").empty()) ::usleep(10'000);
  fs::remove_all(recorded.folder());
  const Outcome outcome = running.wait();
  fs::create_directory(recorded.folder());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "done\n");
}

TEST(RecordingEnd, ProgramThatReplacesItselfHasAFileForEach) {
  Recorded recorded;
  ASSERT_EQ(
      recorded.play({"cuda", "launch=first", kUntilWritten, "exec", "cuda", "launch=second"}).code,
      0);
  const auto files = recorded.files("gpu");
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[0].lines[0][3], files[1].lines[0][3]);
  EXPECT_EQ(files[0].path.filename(), files[0].lines[0][3] + "-gpu.record");
  EXPECT_EQ(files[1].path.filename(), files[0].lines[0][3] + ".2-gpu.record");
  EXPECT_EQ(files[0].of("N")[0][2], "first");
  EXPECT_EQ(files[1].of("N")[0][2], "second");
}

TEST(RecordingEnd, DescriptorThatTheProgramClosedIsNotWrittenTo) {
  Recorded recorded;
  ASSERT_EQ(recorded
                .play({"cuda", "launch=first", kUntilWritten, "closeall=mine", "launch=second",
                       kUntilWritten})
                .code,
            0);
  EXPECT_THAT(recorded.file("gpu").of("K"), SizeIs(2));
  EXPECT_TRUE(fs::is_empty(recorded.folder().parent_path() / "mine"));
}

}  // namespace
}  // namespace autokernel::test
