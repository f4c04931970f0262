// What programs get from bench: one object, one number, one log, and a trial that can be repeated.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "e2e/workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

class Records : public Workplace {};

TEST_F(Records, OneObjectAndNothingElseIsPrinted) {
  const Outcome run = run_autokernel({"bench", "--device", "cpu", "--size", "check", "--json"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  const json object = json::parse(run.out);
  EXPECT_EQ(object["verdict"], "correct");
  EXPECT_EQ(object["timing"], "emulated");
  EXPECT_GT(object["median_us"], 0.0);
  EXPECT_TRUE(object["warm_us"].is_null());
  expect_nothing_left();
}

TEST_F(Records, AFailedKernelIsAnObjectToo) {
  const Outcome run = bench("syntax_error", {"--json"});
  EXPECT_EQ(run.code, 12);
  const json object = json::parse(run.out);
  EXPECT_EQ(object["exit_code"], 12);
  EXPECT_THAT(object["reason"].get<std::string>(), HasSubstr("error"));
  EXPECT_TRUE(object["median_us"].is_null());
}

TEST_F(Records, WhatStopsBenchIsAnObjectToo) {
  const Outcome run = run_autokernel({"bench", "--case", "nowhere", "--json"});
  EXPECT_EQ(run.code, 2);
  const json object = json::parse(run.out);
  EXPECT_EQ(object["exit_code"], 2);
  EXPECT_THAT(object["error"].get<std::string>(), HasSubstr("nowhere"));
  EXPECT_THAT(run.err, HasSubstr("nowhere"));
}

TEST_F(Records, AReplayFindsTheSameWrongElementOnTheSameInputs) {
  const Outcome first = bench("wrong_in_one_element", {"--json"});
  EXPECT_EQ(first.code, 11) << first.err;
  const auto file = scratch_.write("failed.json", first.out);
  const json found = json::parse(first.out);

  const Outcome again = run_autokernel({"bench", "--replay", file.string(), "--json"});
  EXPECT_EQ(again.code, 11) << again.err;
  const json repeated = json::parse(again.out);
  EXPECT_EQ(repeated["reason"], found["reason"]);
  EXPECT_EQ(repeated["keys"][0], found["keys"][0]);
  EXPECT_EQ(repeated["replayed"], true);
  EXPECT_EQ(found["replayed"], false);
  expect_nothing_left();
}

TEST_F(Records, FreshTrialsHaveFreshInputs) {
  const json one = json::parse(bench("wrong_in_one_element", {"--json"}).out);
  const json other = json::parse(bench("wrong_in_one_element", {"--json"}).out);
  EXPECT_NE(one["keys"][0]["key"], other["keys"][0]["key"]);
}

TEST_F(Records, AReplayTakesAnotherKernelOnTheSameInputs) {
  const Outcome first = bench("wrong_in_one_element", {"--json"});
  const auto file = scratch_.write("failed.json", first.out);
  const Outcome repaired = run_autokernel(
      {"bench", "--replay", file.string(), "--kernel", "kernels/kernel.cu", "--json"});
  EXPECT_EQ(repaired.code, 0) << repaired.out << repaired.err;
  EXPECT_EQ(json::parse(repaired.out)["keys"][0], json::parse(first.out)["keys"][0]);
}

TEST_F(Records, AFileThatIsNoRecordIsRefusedWithItsName) {
  const auto file = scratch_.write("notes.txt", "not a record");
  const Outcome run = run_autokernel({"bench", "--replay", file.string()});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("notes.txt"), HasSubstr("--json")));
}

TEST_F(Records, QuietIsTheMedianAlone) {
  const Outcome run = run_autokernel({"bench", "--device", "cpu", "--size", "check", "--quiet"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, MatchesRegex("[0-9]+\\.[0-9]{3}\n"));
  EXPECT_THAT(run.err, IsEmpty());
}

TEST_F(Records, QuietSaysWhyAKernelFailedAndPrintsNoNumber) {
  const Outcome run = bench("wrong_in_one_element", {"--quiet"});
  EXPECT_EQ(run.code, 11);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, AllOf(HasSubstr("incorrect"), HasSubstr("C[17,42]")));
}

TEST_F(Records, TheLogHoldsWhatTheKernelPrinted) {
  const auto log = scratch_.path() / "full.log";
  const Outcome run = bench("prints", {"--log", log.string()});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("log", run.out), log.string());
  EXPECT_THAT(contents(log), AllOf(HasSubstr("verdict: correct"), HasSubstr("nvrtc: "),
                                   HasSubstr("printed by block 0")));
  EXPECT_THAT(run.out, Not(HasSubstr("printed by block")));
}

TEST_F(Records, ASecondCompileOfTheSameSourceComesFromTheCache) {
  const auto log = scratch_.path() / "full.log";
  const auto cached = HasSubstr("from the compile cache");
  EXPECT_EQ(bench("prints", {"--log", log.string()}).code, 0);
  EXPECT_THAT(contents(log), Not(cached));
  EXPECT_EQ(bench("prints", {"--log", log.string()}).code, 0);
  EXPECT_THAT(contents(log), cached);
  EXPECT_EQ(bench("prints", {"--log", log.string(), "--no-cache"}).code, 0);
  EXPECT_THAT(contents(log), Not(cached));
}

// Who can write there would say what the kernel, or the reference, computes.
TEST_F(Records, NoTrialTakesMachineCodeFromTheDriversCacheOrKeepsAny) {
  const auto folder = scratch_.path() / "machine-code";
  ::setenv("CUDA_CACHE_PATH", folder.c_str(), 1);
  ::setenv("CUDA_CACHE_DISABLE", "0", 1);
  EXPECT_EQ(bench("prints", {}).code, 0);
  ::unsetenv("CUDA_CACHE_PATH");
  ::unsetenv("CUDA_CACHE_DISABLE");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(Records, ALogThatCannotBeWrittenIsSaidBeforeAnythingRuns) {
  const Outcome run = bench("prints", {"--log", "no/such/folder/full.log"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("no/such/folder/full.log"));
  EXPECT_THAT(run.out, IsEmpty());
}

TEST_F(Records, ALogCanGoToADevice) {
  const Outcome run = bench("prints", {"--log", "/dev/null"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  struct stat status{};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

}  // namespace
}  // namespace autokernel::test
