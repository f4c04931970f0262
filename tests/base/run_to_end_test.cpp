#include "autokernel/base/run_to_end.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "support/census.h"

namespace autokernel {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::StartsWith;

EndedRun run(const std::string& script, seconds patience = seconds{60}) {
  return run_to_end({.program = "/bin/sh", .arguments = {"-c", script}, .environment = {}},
                    patience, 1000);
}

TEST(RunToEnd, SaysHowItEndedAndWhatItPrinted) {
  const EndedRun good = run("echo out; echo err >&2");
  EXPECT_TRUE(good.succeeded());
  EXPECT_EQ(good.output, "out\nerr\n");

  const EndedRun bad = run("echo wrong; exit 3");
  EXPECT_FALSE(bad.succeeded());
  EXPECT_EQ(bad.ending.value_or(Ending{}).code, 3);
  EXPECT_EQ(bad.output, "wrong\n");

  EXPECT_FALSE(run("kill -9 $$").succeeded());
}

TEST(RunToEnd, KeepsTheBeginningAndTheEndOfLongOutput) {
  const EndedRun long_run = run("echo begin; head -c 10000000 /dev/zero | tr '\\0' x; echo end");
  EXPECT_TRUE(long_run.succeeded());
  EXPECT_THAT(long_run.output, StartsWith("begin\nxxx"));
  EXPECT_THAT(long_run.output, EndsWith("xxxend\n"));
  EXPECT_LT(long_run.output.size(), 1200U);
}

TEST(RunToEnd, KillsWhatDoesNotEndWithItsChildren) {
  const std::string marker = "of-run-to-end-" + std::to_string(::getpid());
  const EndedRun endless = run_to_end({.program = "/bin/sh",
                                       .arguments = {"-c", "sleep 1000; exit 0"},
                                       .environment = {{"MARKER", marker}}},
                                      seconds{1}, 1000);
  EXPECT_FALSE(endless.ending);
  EXPECT_FALSE(endless.succeeded());
  EXPECT_THAT(test::processes_still_marked(marker), testing::IsEmpty());
}

TEST(RunToEnd, ReadsWhatIsFloodedWithoutEndAndStillLooksAtTheClock) {
  EXPECT_FALSE(run("yes", seconds{1}).ending);
}

TEST(RunToEnd, CallsBackMeanwhile) {
  int calls = 0;
  const EndedRun ended =
      run_to_end({.program = "/bin/sh", .arguments = {"-c", "sleep 0.2"}, .environment = {}},
                 seconds{60}, 100, [&calls] { ++calls; });
  EXPECT_TRUE(ended.succeeded());
  EXPECT_GT(calls, 1);
}

}  // namespace
}  // namespace autokernel
