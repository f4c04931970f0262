// `autokernel profile` of programs on the emulated device.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "e2e/program_workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// What the sample launches in each step, and how many steps it makes if nobody says.
constexpr int kKernels = 8;
constexpr int kSteps = 3;
constexpr int kLaunches = kKernels * kSteps;
constexpr const char* kFile = "autokernel-profile.json";

class ProfileOfProgram : public ProgramWorkplace {
 protected:
  [[nodiscard]] static std::vector<int> launches_of_each(const json& profile) {
    std::vector<int> launches;
    for (const json& kernel : profile["kernels"]) launches.push_back(kernel["launches"]);
    return launches;
  }
  [[nodiscard]] static int launches_in(const json& profile) {
    return profile["totals"]["launches"];
  }

  // A profile of the sample that makes steps until it is killed, in a process group of its own;
  // the first step has been made.
  [[nodiscard]] RunningProgram spinning() const {
    Invocation invocation = on_program("profile", {}, sample({"--spin"}));
    invocation.arguments.insert(invocation.arguments.begin(), invocation.program.string());
    invocation.program = "/usr/bin/setsid";
    RunningProgram program(invocation);
    constexpr int kMostLooks = 1000;
    for (int i = 0; i < kMostLooks && program.err_so_far().find("running") == std::string::npos;
         ++i) {
      std::this_thread::sleep_for(milliseconds{10});
    }
    // More than the record may lose.
    std::this_thread::sleep_for(milliseconds{250});
    return program;
  }
};

TEST_F(ProfileOfProgram, PrintsATableBehindWhatTheProgramPrints) {
  const Outcome profiled = profile({}, sample());
  EXPECT_EQ(profiled.code, 0);
  EXPECT_THAT(profiled.err, IsEmpty());
  EXPECT_THAT(profiled.out,
              AllOf(StartsWith("checksum "), HasSubstr("24 launches, all that the program made"),
                    HasSubstr("gather\n"), HasSubstr("scale_and_shift\n"), HasSubstr("softmax\n"),
                    HasSubstr("row_sums\n"), HasSubstr("add_scaled\n"), HasSubstr("decay\n"),
                    HasSubstr("histogram\n"), HasSubstr("prefix\n"),
                    HasSubstr("\nwritten     autokernel-profile.json\n")));
}

TEST_F(ProfileOfProgram, ShowsTheKernelsThatAreAskedForAndSaysHowManyThereAreBesides) {
  const Outcome profiled = profile({"--top", "2"}, sample());
  EXPECT_THAT(profiled.out,
              AllOf(HasSubstr("\n2 "), Not(HasSubstr("\n3 ")), HasSubstr("\nand 6 more, ")));
}

TEST_F(ProfileOfProgram, SeesEveryLaunchThatIsAskedFor) {
  const json profile = profile_json({}, sample());
  EXPECT_EQ(launches_in(profile), kLaunches);
  EXPECT_EQ(profile["asked"], kLaunches);
  EXPECT_EQ(profile["lost"], 0);
  EXPECT_THAT(profile["warnings"], IsEmpty());
  EXPECT_THAT(launches_of_each(profile), AllOf(SizeIs(kKernels), Each(kSteps)));
}

TEST_F(ProfileOfProgram, PrintsNothingButItsJsonOnStandardOutput) {
  const Outcome profiled = profile({"--json"}, sample());
  EXPECT_TRUE(json::parse(profiled.out, nullptr, false).is_object()) << profiled.out;
  EXPECT_THAT(profiled.err, StartsWith("checksum "));
}

TEST_F(ProfileOfProgram, KeepsInItsFileWhatItsJsonSays) {
  const json printed = profile_json({}, sample());
  EXPECT_EQ(json_in(kFile), printed);
}

TEST_F(ProfileOfProgram, ChangesNoResultOfTheProgram) {
  const std::string alone = checksum_in(run_alone(sample()).out);
  EXPECT_THAT(alone, Not(IsEmpty()));
  EXPECT_EQ(checksum_in(profile({}, sample()).out), alone);
}

TEST_F(ProfileOfProgram, LeavesNothingBesideItsFile) {
  EXPECT_EQ(profile({}, sample()).code, 0);
  EXPECT_THAT(listing(), ElementsAre(kFile));
  expect_nothing_left();
}

TEST_F(ProfileOfProgram, WritesEveryLaunchIntoATraceOfChrome) {
  EXPECT_EQ(profile({"--trace", "trace.json"}, sample()).code, 0);
  const json trace = json_in("trace.json");
  int kernels = 0;
  for (const json& event : trace["traceEvents"]) kernels += event.value("cat", "") == "kernel";
  EXPECT_EQ(kernels, kLaunches);
}

TEST_F(ProfileOfProgram, WritesAPageWithAllKernels) {
  EXPECT_EQ(profile({"--html", "page.html"}, sample()).code, 0);
  EXPECT_THAT(contents(file("page.html")),
              AllOf(StartsWith("<!doctype html>"), HasSubstr("softmax"), HasSubstr("prefix"),
                    HasSubstr("</html>")));
}

TEST_F(ProfileOfProgram, WritesWhatIsAskedForWhereItIsAskedForAndSaysSo) {
  std::filesystem::create_directory(file("out"));
  const Outcome profiled =
      profile({"--out", "out/p.json", "--trace", "out/t.json", "--html", "out/p.html"}, sample());
  EXPECT_THAT(profiled.out, HasSubstr("\nwritten     out/p.json, out/t.json, out/p.html\n"));
  EXPECT_THAT(files_below(file("out")), ElementsAre("p.html", "p.json", "t.json"));
  EXPECT_THAT(listing(), ElementsAre("out"));
}

TEST_F(ProfileOfProgram, CountsKernelsAndLaunchesOfGraphsApart) {
  const json profile = profile_json({}, sample({"--graph"}));
  EXPECT_EQ(profile["asked"], 0);
  EXPECT_EQ(profile["graph_launches"], kSteps);
  EXPECT_THAT(launches_of_each(profile), AllOf(SizeIs(kKernels), Each(kSteps)));
  EXPECT_EQ(profile["kernels"][0]["in_graph"], true);
}

TEST_F(ProfileOfProgram, SeesKernelsOfGraphsThatAreMadeNodeByNode) {
  const json profile = profile_json({}, sample({"0", "--node"}));
  EXPECT_EQ(profile["asked"], 0);
  EXPECT_EQ(profile["graph_launches"], 1);
  EXPECT_THAT(launches_of_each(profile), ElementsAre(1));
}

TEST_F(ProfileOfProgram, SeesTheLaunchesOfAllThreads) {
  const json profile = profile_json({}, sample({"--threads"}));
  EXPECT_EQ(profile["asked"], 2 * kLaunches);
  EXPECT_THAT(launches_of_each(profile), AllOf(SizeIs(kKernels), Each(2 * kSteps)));
}

TEST_F(ProfileOfProgram, TakesKernelsForTheSameThatAreLoadedAnew) {
  const json profile = profile_json({}, sample({"--unload"}));
  EXPECT_THAT(launches_of_each(profile), AllOf(SizeIs(kKernels), Each(kSteps)));
}

TEST_F(ProfileOfProgram, PutsTheProcessesOfAProgramTogether) {
  const std::string both = line_of(sample()) + "; " + line_of(sample({"2"}));
  const json profile = profile_json({}, {"bash", "-c", both});
  EXPECT_THAT(profile["processes"], SizeIs(2));
  EXPECT_EQ(profile["asked"], kLaunches + 2 * kKernels);
  EXPECT_THAT(launches_of_each(profile), AllOf(SizeIs(kKernels), Each(kSteps + 2)));
}

TEST_F(ProfileOfProgram, PutsProcessesTogetherThatRunAtOnce) {
  const std::string both = line_of(sample()) + " & " + line_of(sample()) + "; wait";
  const json profile = profile_json({}, {"bash", "-c", both});
  EXPECT_THAT(profile["processes"], SizeIs(2));
  EXPECT_EQ(launches_in(profile), 2 * kLaunches);
}

TEST_F(ProfileOfProgram, SeesBothProgramsThatAProcessIsInTurn) {
  const json profile = profile_json({}, sample({"--exec", "--pause", "200"}));
  EXPECT_EQ(launches_in(profile), 2 * kLaunches);
  EXPECT_EQ(profile["asked"], 2 * kLaunches);
}

TEST_F(ProfileOfProgram, TakesRangesByName) {
  const json profile = profile_json({"--range", "st*"}, sample());
  EXPECT_EQ(profile["part"], "3 of 3 ranges 'st*'");
  EXPECT_EQ(launches_in(profile), kLaunches);
}

TEST_F(ProfileOfProgram, LeavesOutRangesThatWarmUp) {
  const json profile = profile_json({"--range", "step", "--warmup", "1", "--count", "1"}, sample());
  EXPECT_EQ(profile["repetitions"], 1);
  EXPECT_THAT(launches_of_each(profile), AllOf(SizeIs(kKernels), Each(1)));
}

TEST_F(ProfileOfProgram, NamesTheRangesThereAreWhereThatOneIsMissing) {
  const Outcome refused = profile({"--range", "forward"}, sample());
  expect_refusal(refused, 2, "no range is called 'forward': there are 'step' (3)");
  expect_nothing_left();
}

TEST_F(ProfileOfProgram, RefusesAWarmUpThatLeavesNoRange) {
  expect_refusal(profile({"--range", "step", "--warmup", "3"}, sample()), 2,
                 "--warmup 3 leaves nothing: the profile has 3 ranges 'step'");
}

TEST_F(ProfileOfProgram, TakesWholeIterations) {
  const json profile = profile_json({"--iterations"}, sample({"6"}));
  EXPECT_THAT(static_cast<int>(profile["repetitions"]), Ge(kSteps));
  EXPECT_EQ(launches_in(profile), kKernels * static_cast<int>(profile["repetitions"]));
}

TEST_F(ProfileOfProgram, RefusesIterationsWhereNothingIsRepeated) {
  expect_refusal(profile({"--iterations"}, sample({"1"})), 2, "the launches show no repetition");
}

TEST_F(ProfileOfProgram, RefusesAWarmUpOfNothingBeforeItStartsTheProgram) {
  expect_early_refusal(profile({"--warmup", "1"}, sample()), 2,
                       "pass --range NAME or --iterations as well");
}

TEST_F(ProfileOfProgram, RefusesRangesAndIterationsAtOnce) {
  expect_early_refusal(profile({"--range", "step", "--iterations"}, sample()), 2,
                       "--range and --iterations exclude each other");
}

TEST_F(ProfileOfProgram, RefusesAProgramAndAFileAtOnce) {
  expect_early_refusal(profile({"--import", "trace.json"}, sample()), 2,
                       "a program or --import FILE, not both");
}

TEST_F(ProfileOfProgram, SaysHowAProgramIsNamedWhereThereIsNone) {
  expect_early_refusal(profile({}, {}), 2, "autokernel profile -- PROGRAM");
}

TEST_F(ProfileOfProgram, HasTheExitCodeOfTheProgramAndShowsWhatItDid) {
  const Outcome profiled = profile({}, sample({"--exit", "7"}));
  EXPECT_EQ(profiled.code, 7);
  EXPECT_THAT(profiled.err, StartsWith("autokernel: the program ended with exit code 7 after "));
  EXPECT_THAT(profiled.out, HasSubstr("24 launches, all that the program made"));
}

TEST_F(ProfileOfProgram, ShowsTheLaunchThatFaultedToo) {
  const json profile = profile_json({}, sample({"--fault"}), 1);
  EXPECT_EQ(launches_in(profile), kLaunches + 1);
}

TEST_F(ProfileOfProgram, SaysWhichSignalEndedTheProgram) {
  const Outcome profiled = profile({}, sample({"--crash"}));
  EXPECT_EQ(profiled.code, 128 + SIGSEGV);
  EXPECT_THAT(profiled.err, HasSubstr("the program ended by signal 11 (Segmentation fault)"));
  expect_nothing_left();
}

TEST_F(ProfileOfProgram, ShowsWhatAProgramDidThatIsKilled) {
  const json profile = profile_json({}, sample({"--pause", "300", "--kill"}), 128 + SIGKILL);
  EXPECT_EQ(launches_in(profile), kLaunches);
}

TEST_F(ProfileOfProgram, ClaimsOfNoProgramThatIsKilledThatItDidNothing) {
  (void)run_alone(sample());  // compiles the kernels: then all is over in a few milliseconds
  const Outcome profiled = profile({}, sample({"--kill"}));
  EXPECT_EQ(profiled.code, 128 + SIGKILL);
  EXPECT_THAT(profiled.err, AllOf(HasSubstr("signal 9"), Not(HasSubstr("had no GPU do anything"))));
}

TEST_F(ProfileOfProgram, RefusesAProgramThatIsNotThere) {
  expect_early_refusal(profile({}, {"./missing"}), 2,
                       "cannot run './missing': there is no such file");
}

TEST_F(ProfileOfProgram, RefusesAProgramThatIsNotOnThePath) {
  expect_early_refusal(profile({}, {"no-such-program"}), 2,
                       "no program of that name is on the PATH");
}

TEST_F(ProfileOfProgram, RefusesAFileThatIsNoProgram) {
  scratch_.write("work/text", "no program\n");
  expect_early_refusal(profile({}, {"./text"}), 2, "cannot start ./text: Permission denied");
  expect_nothing_left();
}

TEST_F(ProfileOfProgram, SaysThatAProgramLaunchedNothing) {
  const Outcome profiled = profile({}, sample({"--no-launch"}));
  expect_refusal(profiled, 3, "nothing to rank: the program had no GPU do anything");
  EXPECT_THAT(listing(), IsEmpty());
}

TEST_F(ProfileOfProgram, SaysThatAProgramWithoutCudaHadNoGpuDoAnything) {
  expect_refusal(profile({}, {"/bin/true"}), 3, "the program had no GPU do anything");
}

TEST_F(ProfileOfProgram, HasTheExitCodeOfAProgramWithoutCuda) {
  EXPECT_EQ(profile({}, {"bash", "-c", "exit 9"}).code, 9);
}

TEST_F(ProfileOfProgram, RefusesAFolderThatIsNotThereBeforeItStartsTheProgram) {
  expect_early_refusal(profile({"--out", "missing/p.json"}, sample()), 2,
                       "cannot write the profile to missing/p.json: there is no folder ");
}

TEST_F(ProfileOfProgram, RefusesAFolderInPlaceOfAFileBeforeItStartsTheProgram) {
  std::filesystem::create_directory(file("folder"));
  expect_early_refusal(profile({"--out", "folder"}, sample()), 2, "folder");
}

TEST_F(ProfileOfProgram, SaysThatItCannotWriteAndLeavesNothing) {
  // Nobody can make a file there, whoever runs the tests.
  const Outcome profiled = profile({"--out", "/proc/p.json"}, sample());
  expect_refusal(profiled, 3, "cannot write /proc/p.json");
  EXPECT_THAT(listing(), IsEmpty());
  expect_nothing_left();
}

TEST_F(ProfileOfProgram, FindsTheProgramsOwnLibrariesAsBefore) {
  Invocation invocation =
      on_program("profile", {}, {"bash", "-c", "echo $LD_LIBRARY_PATH; exit 5"});
  invocation.environment["LD_LIBRARY_PATH"] = "/a/folder:/another";
  const Outcome profiled = run(invocation);
  EXPECT_EQ(profiled.code, 5);
  EXPECT_THAT(profiled.out, HasSubstr(":/a/folder:/another\n"));
}

TEST_F(ProfileOfProgram, ShowsWhatWasDoneUntilCtrlC) {
  RunningProgram program = spinning();
  ASSERT_EQ(::getpgid(program.id()), program.id());
  ASSERT_EQ(::kill(-program.id(), SIGINT), 0);
  const Outcome profiled = program.wait(seconds{20});
  EXPECT_EQ(profiled.code, 128 + SIGINT);
  EXPECT_THAT(profiled.err, HasSubstr("the program ended by signal 2 (Interrupt)"));
  EXPECT_THAT(profiled.out, AllOf(HasSubstr("recorded "), HasSubstr("softmax\n")));
  EXPECT_THAT(listing(), ElementsAre(kFile));
  expect_nothing_left();
}

TEST_F(ProfileOfProgram, EndsTheProgramWhereItAloneIsInterrupted) {
  RunningProgram program = spinning();
  program.send(SIGINT);
  EXPECT_EQ(program.wait(seconds{2}).code, 128 + SIGINT);
}

TEST_F(ProfileOfProgram, PassesItsTerminationOnToTheProgram) {
  RunningProgram program = spinning();
  program.send(SIGTERM);
  const Outcome profiled = program.wait(seconds{20});
  EXPECT_EQ(profiled.code, 128 + SIGTERM);
  EXPECT_THAT(profiled.out, HasSubstr("recorded "));
  expect_nothing_left();
}

TEST_F(ProfileOfProgram, TakesTheProgramWithItWhenItIsKilled) {
  RunningProgram program = spinning();
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(seconds{20}).code, 128 + SIGKILL);
  EXPECT_THAT(processes_still_marked(scratch_.path().string()), IsEmpty());
}

TEST_F(ProfileOfProgram, SurvivesAReaderThatGoesAway) {
  const Outcome profiled =
      run_alone({"/bin/bash", "-c",
                 line_of({AUTOKERNEL_PROGRAM, "profile", "--device", "cpu", "--"}) + " " +
                     line_of(sample()) + " | head -n 1; exit ${PIPESTATUS[1]}"});
  EXPECT_EQ(profiled.code, 0);
  EXPECT_THAT(profiled.out, StartsWith("checksum "));
  expect_nothing_left();
}

}  // namespace
}  // namespace autokernel::test
