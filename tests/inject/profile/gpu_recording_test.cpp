#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>

#include "recording.h"

namespace autokernel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::uint64_t number(const std::string& field) { return std::stoull(field); }

TEST(GpuRecording, FileBeginsWithWhoWritesItAndWhatRan) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  ASSERT_GE(file.lines.size(), 2U);
  ASSERT_THAT(file.lines[0], SizeIs(5));
  EXPECT_EQ(file.lines[0][0], "autokernel-profile");
  EXPECT_EQ(file.lines[0][1], "1");
  EXPECT_EQ(file.lines[0][2], "CUPTI 130001");
  EXPECT_EQ(file.path.filename(), file.lines[0][3] + "-gpu.record");
  EXPECT_EQ(file.lines[0][4], std::to_string(::getpid()));
  EXPECT_THAT(file.lines[1],
              ElementsAre("P", std::string(RECORDED_PROGRAM) + " cuda launch=saxpy"));
}

TEST(GpuRecording, KernelHasItsLineAndItsNameStandsBeforeIt) {
  Recorded recorded;
  const auto before = static_cast<std::uint64_t>(std::time(nullptr)) * 1'000'000'000;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy", "launch=other", "launch=saxpy"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("N"),
              ElementsAre(ElementsAre("N", "1", "saxpy"), ElementsAre("N", "2", "other")));
  const auto kernels = file.of("K");
  ASSERT_THAT(kernels, SizeIs(3));
  ASSERT_THAT(kernels[0], SizeIs(17));
  EXPECT_EQ(kernels[0][1], "1");
  EXPECT_EQ(kernels[1][1], "2");
  EXPECT_EQ(kernels[2][1], "1");
  EXPECT_GE(number(kernels[0][2]), before);
  EXPECT_EQ(number(kernels[0][3]) - number(kernels[0][2]), 5000U);
  const Fields rest(kernels[0].begin() + 4, kernels[0].end());
  EXPECT_THAT(
      rest, ElementsAre("0", "7", "1", "4", "3", "2", "128", "1", "1", "32", "1024", "2048", "0"));
  EXPECT_EQ(file.lines.back()[0], "E");
}

TEST(GpuRecording, LaunchHasThreadAndTimeOfItsCall) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy", "ex=other"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  const auto launches = file.of("L");
  ASSERT_THAT(launches, SizeIs(2));
  // The first thread of a process has its number.
  EXPECT_EQ(launches[0][2], file.lines[0][3]);
  EXPECT_EQ(launches[0][4], "kernel");
  EXPECT_EQ(launches[0][1], file.of("K")[0][6]);
  EXPECT_EQ(launches[1][1], file.of("K")[1][6]);
  EXPECT_LE(number(launches[0][3]), number(file.of("K")[0][2]));
}

TEST(GpuRecording, LaunchThatFailedDoesNotCount) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "failed=saxpy", "launch=saxpy"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  ASSERT_THAT(file.of("L"), SizeIs(1));
  EXPECT_EQ(file.of("L")[0][1], "2");
}

TEST(GpuRecording, LaunchIntoAGraphDoesNotCountAndTheGraphsLaunchDoes) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "capture", "captured=node", "graph=3", "launch=after"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  const auto launches = file.of("L");
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0][4], "graph");
  EXPECT_EQ(launches[1][4], "kernel");
  const auto kernels = file.of("K");
  ASSERT_THAT(kernels, SizeIs(4));
  EXPECT_EQ(kernels[0][6], launches[0][1]);
  EXPECT_EQ(kernels[2][6], launches[0][1]);
  EXPECT_EQ(kernels[2].back(), "1");
  EXPECT_EQ(kernels[3].back(), "0");
  EXPECT_THAT(file.of("W"), IsEmpty());
}

TEST(GpuRecording, CopiesAndFillsHaveTheirBytes) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "copy=4096"}).code, 0);
  const auto transfers = recorded.file("gpu").of("C");
  ASSERT_THAT(transfers, SizeIs(3));
  ASSERT_THAT(transfers[0], SizeIs(9));
  EXPECT_EQ(transfers[0][1], "HtoD");
  EXPECT_EQ(transfers[0][7], "4096");
  EXPECT_EQ(transfers[0][8], "0");
  EXPECT_EQ(transfers[1][1], "fill");
  EXPECT_EQ(transfers[1][8], "1");
  EXPECT_EQ(transfers[2][1], "PtoP");
  EXPECT_EQ(transfers[2][4], "1");
}

TEST(GpuRecording, DeviceIsDescribedByTheDriver) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy"}).code, 0);
  EXPECT_THAT(recorded.file("gpu").of("D"),
              ElementsAre(ElementsAre("D", "0", "Fake\\tGPU", "9", "0", "132", "1980000", "2619000",
                                      "5120", "52428800", "85000000000")));
}

TEST(GpuRecording, NameWithTabsAndLineEndsIsOneField) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=a\tb\nc\\d"}).code, 0);
  EXPECT_THAT(recorded.file("gpu").of("N"), ElementsAre(ElementsAre("N", "1", "a\\tb\\nc\\\\d")));
}

TEST(GpuRecording, LongNameIsKeptWhole) {
  Recorded recorded;
  const std::string name(50'000, 'x');
  ASSERT_EQ(recorded.play({"cuda", "launch=" + name}).code, 0);
  EXPECT_THAT(recorded.file("gpu").of("N"), ElementsAre(ElementsAre("N", "1", name)));
}

TEST(GpuRecording, EveryLaunchOfEveryThreadIsThere) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "nvtx", "threads=4"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("K"), SizeIs(4000));
  const auto launches = file.of("L");
  EXPECT_THAT(launches, SizeIs(4000));
  std::set<std::string> correlations;
  std::set<std::string> threads;
  for (const Fields& launch : launches) {
    correlations.insert(launch[1]);
    threads.insert(launch[2]);
  }
  EXPECT_THAT(correlations, SizeIs(4000));
  EXPECT_THAT(threads, SizeIs(4));
  EXPECT_THAT(recorded.file("program").of("R"), SizeIs(4000));
  EXPECT_THAT(file.of("X"), IsEmpty());
}

TEST(GpuRecording, MoreThanABufferHoldsIsKept) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launches=50000"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("K"), SizeIs(50'000));
  EXPECT_THAT(file.of("L"), SizeIs(50'000));
}

TEST(GpuRecording, RecordsThatCuptiDroppedAreCounted) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy"}, {{"FAKE_CUPTI_DROPPED", "5"}}).code, 0);
  EXPECT_THAT(recorded.file("gpu").of("X"), ElementsAre(ElementsAre("X", "5")));
}

TEST(GpuRecording, KernelThatStillRanAtTheEndIsLost) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy", "running=endless"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("K"), SizeIs(1));
  EXPECT_THAT(file.of("L"), SizeIs(2));
  EXPECT_THAT(file.of("X"), ElementsAre(ElementsAre("X", "1")));
  EXPECT_THAT(file.of("W"), IsEmpty());
}

TEST(GpuRecording, ContextThatIsTakenDownHandsOverItsRecordsFirst) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy", "reset"}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_THAT(file.of("K"), SizeIs(1));
  EXPECT_THAT(file.of("L"), SizeIs(1));
}

TEST(GpuRecording, TimesOfAnotherClockAreBroughtToOurs) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy"}, {{"FAKE_CUPTI_CLOCK", "own"}}).code, 0);
  const RecordLines file = recorded.file("gpu");
  ASSERT_THAT(file.of("K"), SizeIs(1));
  const auto start = static_cast<std::int64_t>(number(file.of("K")[0][2]));
  const auto called = static_cast<std::int64_t>(number(file.of("L")[0][3]));
  EXPECT_LT(std::abs(start - called), 1'000'000'000);
}

TEST(GpuRecording, ProgramPrintsNothingMore) {
  Recorded recorded;
  const Outcome outcome = recorded.play({"cuda", "nvtx", "launch=saxpy", "push=a", "pop"});
  EXPECT_EQ(outcome.out, "done\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(GpuRecording, WithoutAFolderNothingIsRecorded) {
  Recorded recorded;
  const Outcome outcome = recorded.play({"cuda", "nvtx", "launch=saxpy", "push=a", "pop"},
                                        {{"AUTOKERNEL_PROFILE_DIR", ""}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(recorded.files("gpu"), IsEmpty());
  EXPECT_THAT(recorded.files("program"), IsEmpty());
}

TEST(GpuRecording, OtherProfilerInTheProcessIsNamed) {
  Recorded recorded;
  const Outcome outcome = recorded.play({"cuda", "launch=saxpy"}, {{"FAKE_CUPTI_SUBSCRIBE", "39"}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "done\n");
  const RecordLines file = recorded.file("gpu");
  ASSERT_THAT(file.of("W"), SizeIs(1));
  EXPECT_THAT(file.of("W")[0][1], StartsWith("another profiler has CUPTI in this process"));
  EXPECT_THAT(file.of("W")[0][1], HasSubstr("autokernel profile --import"));
  EXPECT_THAT(file.of("K"), IsEmpty());
}

TEST(GpuRecording, ProfilerThatTakesTheRecordsLaterIsSuspected) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launches=10"}, {{"FAKE_CUPTI_STOLEN", "1"}}).code, 0);
  const RecordLines file = recorded.file("gpu");
  ASSERT_THAT(file.of("W"), SizeIs(1));
  EXPECT_THAT(file.of("W")[0][1], StartsWith("10 of 10 launched kernels have no record"));
}

TEST(GpuRecording, MissingPrivilegesAreExplained) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy"}, {{"FAKE_CUPTI_ENABLE", "35"}}).code, 0);
  ASSERT_THAT(recorded.file("gpu").of("W"), SizeIs(1));
  EXPECT_THAT(recorded.file("gpu").of("W")[0][1],
              HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

TEST(GpuRecording, UnknownRefusalIsToldByItsNumber) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy"}, {{"FAKE_CUPTI_SUBSCRIBE", "999"}}).code, 0);
  ASSERT_THAT(recorded.file("gpu").of("W"), SizeIs(1));
  EXPECT_THAT(recorded.file("gpu").of("W")[0][1], HasSubstr("error 999"));
}

TEST(GpuRecording, MissingCuptiIsSaid) {
  Recorded recorded;
  // What the loader finds first under these names cannot be loaded.
  const ScratchFolder broken;
  for (const char* const version : {"", ".13", ".12", ".11", ".11.8"}) {
    broken.write(std::string("libcupti.so") + version, "");
  }
  const Outcome outcome =
      recorded.play({"cuda", "launch=saxpy"},
                    {{"AUTOKERNEL_CUPTI", ""}, {"LD_LIBRARY_PATH", broken.path().string()}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "done\n");
  const RecordLines file = recorded.file("gpu");
  EXPECT_EQ(file.lines.at(0).at(2), "CUPTI 0");
  ASSERT_THAT(file.of("W"), SizeIs(1));
  EXPECT_THAT(file.of("W")[0][1], HasSubstr("AUTOKERNEL_CUPTI"));
}

TEST(GpuRecording, OldCuptiIsRefused) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"cuda", "launch=saxpy"}, {{"FAKE_CUPTI_VERSION", "14"}}).code, 0);
  const RecordLines file = recorded.file("gpu");
  EXPECT_EQ(file.lines[0][2], "CUPTI 14");
  ASSERT_THAT(file.of("W"), SizeIs(1));
  EXPECT_THAT(file.of("W")[0][1], HasSubstr("too old"));
  EXPECT_THAT(file.of("K"), IsEmpty());
}

TEST(GpuRecording, ErrnoIsLeftAsItWas) {
  Recorded recorded;
  const Outcome outcome = recorded.play({"cuda", "nvtx", "errno"}, preloaded());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace autokernel::test
