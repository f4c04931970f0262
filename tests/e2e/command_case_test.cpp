// Cases of commands: what is kept, what is refused, and what a program can reach.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "e2e/command_workplace.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class CommandCase : public CommandWorkplace {};
using CommandLoop = CommandCase;
using CommandAttack = CommandCase;

TEST_F(CommandCase, IsMeasuredUntilRunsAgree) {
  const Outcome run = bench();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(StartsWith("Device: CPU"), Not(HasSubstr("Capability"))));
  EXPECT_EQ(value_of("label", run.out), "program.sh");
  EXPECT_EQ(value_of("correct", run.out), "True");
  EXPECT_EQ(value_of("metric", run.out), "value (lower is better)");
  EXPECT_EQ(value_of("value", run.out), "100");
  EXPECT_EQ(value_of("runs", run.out), "3, which agree exactly");
  EXPECT_EQ(value_of("verdict", run.out), "correct");
}

TEST_F(CommandCase, IsRecordedAsJson) {
  const Outcome run = bench({"--json"});
  const json record = json::parse(run.out);
  EXPECT_EQ(record["verdict"], "correct");
  EXPECT_TRUE(record["median_us"].is_null());
  EXPECT_TRUE(record["timing"].is_null());
  EXPECT_EQ(record["metric"]["name"], "value");
  EXPECT_EQ(record["metric"]["value"], 100);
  EXPECT_EQ(record["metric"]["samples"], (std::vector<double>{100, 100, 100}));
  EXPECT_EQ(record["metric"]["deterministic"], true);
}

TEST_F(CommandCase, IsComparedWithARevision) {
  repository_.write(kProgram, program("50"));
  const Outcome run = bench({"--against", "HEAD"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("verdict", run.out), "faster");
  EXPECT_EQ(value_of("change", run.out), "-50.00 %");
}

TEST_F(CommandCase, IsShownAndChecked) {
  EXPECT_THAT(done({"case", "show", "case"}), HasSubstr("sh hidden/check.sh"));
  EXPECT_EQ(json::parse(done({"case", "show", "case", "--json"}))["kind"], "command");
  EXPECT_THAT(done({"case", "check", "case"}),
              AllOf(HasSubstr("which agree exactly"), HasSubstr("out.txt is refused")));
}

TEST_F(CommandCase, NeedsACheckThatRefuses) {
  repository_.write("case/hidden/check.sh", "exit 0\n");
  const Outcome check = run_autokernel({"case", "check", "case"});
  EXPECT_EQ(check.code, 2);
  EXPECT_THAT(check.out, AllOf(HasSubstr("FAIL  emptied"), HasSubstr("out.txt is accepted")));
}

TEST_F(CommandCase, MayUseGpusByTheirUuid) {
  change_case("[command]", "[command]\ngpus = 1");
  const std::string asks = program("100", "echo seen: $CUDA_VISIBLE_DEVICES >&2; exit 3");
  repository_.write(kProgram, asks);
  repository_.commit("A program that asks");
  Invocation run{
      .program = AUTOKERNEL_PROGRAM,
      .arguments = {"bench", "--case", "case"},
      .directory = repository_.root(),
      .environment = {{"LD_LIBRARY_PATH", FAKE_DRIVER_FOLDER}, {"AUTOKERNEL_TEST_NVML", "well"}}};
  const Outcome whole = test::run(run);
  EXPECT_THAT(whole.out, AllOf(HasSubstr("seen: GPU-"), HasSubstr("1 x NVIDIA Fake"))) << whole.err;
  run.environment["AUTOKERNEL_TEST_NVML"] = "sliced";
  EXPECT_THAT(test::run(run).out, HasSubstr("seen: MIG-first"));
  run.environment["CUDA_VISIBLE_DEVICES"] = "MIG-second";
  EXPECT_THAT(test::run(run).out, HasSubstr("seen: MIG-second"));
  run.environment["CUDA_VISIBLE_DEVICES"] = "7";
  const Outcome none = test::run(run);
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("CUDA_VISIBLE_DEVICES names 0"));
}

// results.tsv and pictures of a run lie there, too.
TEST_F(CommandLoop, MayBeAtTheRootOfTheRepository) {
  for (const char* file : {"case.toml", "fixed.txt", "hidden/check.sh", "program.sh"})
    repository_.write(file, repository_.read(std::string("case/") + file));
  repository_.git("rm", "-rq", "case");
  repository_.commit("At the root");
  ASSERT_EQ(run_autokernel({"loop", "start", "demo"}).code, 0);
  repository_.write("program.sh", program("50"));
  const Outcome kept = run_autokernel({"loop", "step", "-m", "half"});
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  ASSERT_EQ(run_autokernel({"plot"}).code, 0);
  repository_.write("program.sh", program("40"));
  EXPECT_EQ(run_autokernel({"loop", "step", "-m", "less"}).code, 0);
}

TEST_F(CommandCase, NamesAHiddenPatternThatHidesNothing) {
  change_case("hidden/*", "hiden/*");
  expect_refused({"bench", "--case", "case"}, 2, "hidden has \"hiden/*\", which matches none");
}

TEST_F(CommandCase, HasInstructionsForAnAgent) {
  EXPECT_THAT(done({"case", "program", "case"}),
              AllOf(HasSubstr("What counts is `value`"), HasSubstr("- check: `sh hidden/check.sh`"),
                    HasSubstr("loop start TAG --case case")));
}

TEST_F(CommandCase, IsNoKernel) {
  expect_refused({"bench", "--case", "case", "--timeout", "3"}, 2, "--timeout is for kernels");
  expect_refused({"bench", "--case", "case", "--size", "check"}, 2, "--size is for kernels");
  expect_refused({"bench", "--case", "case", "--sweep"}, 2, "--sweep is for kernels");
  expect_refused({"noise", "--case", "case"}, 2, "autokernel noise is for kernels");
  expect_refused({"loop", "start", "demo", "--case", "case", "--size", "check"}, 2,
                 "--size is for kernels");
}

TEST_F(CommandCase, TakesANumberFromALine) {
  change_case("json = \"/value\"", "line = \"([0-9.]+) ms\"");
  const Outcome run = bench_of(program("1", "echo 'first 3.5 ms'; echo 'last 4.25 ms'"));
  EXPECT_EQ(value_of("value", run.out), "4.25") << run.out;
}

TEST_F(CommandCase, TakesANumberFromAFile) {
  change_case("outputs = [\"out.txt\"]", "outputs = [\"out.txt\", \"m.json\"]");
  change_case("json = \"/value\"", "json = \"/value\"\nfile = \"m.json\"");
  const Outcome run = bench_of(program("1", "echo '{\"value\": 7}' > m.json"));
  EXPECT_EQ(value_of("value", run.out), "7") << run.out;
}

TEST_F(CommandCase, TakesANumberFromTheCheck) {
  change_case("json = \"/value\"", "json = \"/score\"\nof = \"check\"");
  repository_.write("case/hidden/check.sh",
                    "cat > seen.txt\ngrep -q value seen.txt || exit 1\necho '{\"score\": 12.5}'\n");
  const Outcome run = bench_of(program("1"));
  EXPECT_EQ(value_of("value", run.out), "12.5") << run.out;
}

TEST_F(CommandCase, TakesTheTimeOfTheRun) {
  change_case("json = \"/value\"", "wall_time = true");
  const Outcome run = bench_of(program("1", "sleep 0.2"));
  EXPECT_THAT(value_of("value", run.out), MatchesRegex("0\\.2[0-9]* s")) << run.out;
}

TEST_F(CommandCase, TakesTheProcessorTimeOfTheRun) {
  change_case("json = \"/value\"", "cpu_time = true");
  const Outcome run = bench_of(
      program("1", "i=0; (while [ $i -lt 200000 ]; do i=$((i + 1)); done) & wait; sleep 0.5"));
  EXPECT_THAT(value_of("value", run.out), MatchesRegex("0\\.[0-4][0-9]* s")) << run.out;
}

struct Refusal {
  const char* name;
  const char* before;  // in the program
  int code;
  const char* reason;
};
class CommandRefusal : public CommandWorkplace, public testing::WithParamInterface<Refusal> {};

TEST_P(CommandRefusal, SaysWhatIsWrong) {
  change_case("run_seconds = 20", "run_seconds = 2");
  const Outcome run = bench_of(program("100", GetParam().before));
  EXPECT_EQ(run.code, GetParam().code) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "False");
  EXPECT_THAT(run.out, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Each, CommandRefusal,
    testing::Values(
        Refusal{"ExitCode", "echo no such thing >&2; exit 3", 14, "ended with exit code 3"},
        Refusal{"Signal", "kill -SEGV $$", 14, "signal 11 (SEGV)"},
        Refusal{"Endless", "while :; do sleep 1; done", 13, "took more than 2 s"},
        Refusal{"Memory", "python3 -c \"import time; x = b'x' * (400 << 20); time.sleep(9)\"", 14,
                "took more than 256 MB"},
        Refusal{"NoOutput", "echo '{\"value\": 1}'; exit 0", 11, "the run left no out.txt"},
        Refusal{"WrongOutput", "echo '{\"value\": 1}'; echo wrong > out.txt; exit 0", 11,
                "out.txt says 'wrong'"},
        Refusal{"LinkForOutput", "ln -s /etc/passwd out.txt; echo '{\"value\": 1}'; exit 0", 11,
                "no regular file"},
        Refusal{"PipeForOutput", "mkfifo out.txt; echo '{\"value\": 1}'; exit 0", 11,
                "no regular file"},
        Refusal{"NoNumber", "echo \"right $AUTOKERNEL_SEED\" > out.txt; echo nothing; exit 0", 11,
                "has no line that is a JSON object"},
        Refusal{"Zero", "echo \"right $AUTOKERNEL_SEED\" > out.txt; echo '{\"value\": 0}'; exit 0",
                11, "above 0"},
        Refusal{"OnStandardError",
                "echo \"right $AUTOKERNEL_SEED\" > out.txt; echo '{\"value\": 1}' >&2; exit 0", 11,
                "has no line that is a JSON object"}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(CommandCase, SaysWhatABuildSaid) {
  change_case("cp fixed.txt built.txt", "echo 'x.c:3: error: no such name' >&2; false");
  const Outcome run = bench();
  EXPECT_EQ(run.code, 12);
  EXPECT_THAT(run.out, HasSubstr("x.c:3: error: no such name"));
}

TEST_F(CommandCase, RefusesABuildThatLeavesAPipe) {
  change_case("cp fixed.txt built.txt", "cp fixed.txt built.txt; mkfifo pipe");
  const Outcome run = bench();
  EXPECT_EQ(run.code, 14) << run.err;
  EXPECT_THAT(run.out, HasSubstr("what was built cannot be copied"));
}

TEST_F(CommandCase, StopsAtTheFirstLineThatFails) {
  change_case("build = \"cp fixed.txt built.txt\"",
              "build = [\"false\", \"cp fixed.txt built.txt\"]");
  EXPECT_EQ(bench().code, 12);
}

TEST_F(CommandLoop, KeepsABetterValueAndRevertsOthers) {
  start();
  const Outcome kept = step(program("90"), "ten less");
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_EQ(value_of("verdict", kept.out), "kept");
  EXPECT_EQ(value_of("change", kept.out), "-10.00 %");
  const Outcome same = step(program("89.5"), "too little");
  EXPECT_EQ(same.code, 10) << same.out;
  EXPECT_THAT(value_of("reason", same.out), HasSubstr("the minimum gain is 1 %"));
  EXPECT_EQ(program_now(), program("90"));
  const Outcome wrong = step("echo '{\"value\": 1}'; echo no > out.txt", "wrong");
  EXPECT_EQ(wrong.code, 11);
  EXPECT_EQ(program_now(), program("90"));
  const std::string status = done({"loop", "status"});
  EXPECT_EQ(value_of("baseline", status), "100");
  EXPECT_EQ(value_of("best_value", status), "90");
  EXPECT_THAT(done({"log"}), AllOf(HasSubstr("value"), HasSubstr("-10.00 %"), HasSubstr("wrong")));
  EXPECT_THAT(repository_.read("results.tsv"), HasSubstr("\t90\t0.00\tkeep\tten less\n"));
  EXPECT_THAT(done({"plot", "--format", "svg", "--output", "-"}), HasSubstr("less is better"));
}

TEST_F(CommandLoop, KeepsMoreWhereMoreIsBetter) {
  change_case("json = \"/value\"", "json = \"/value\"\nbetter = \"higher\"");
  start();
  EXPECT_EQ(step(program("99")).code, 10);
  const Outcome kept = step(program("125"));
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_EQ(value_of("change", kept.out), "+25.00 %");
  EXPECT_EQ(value_of("best_value", done({"loop", "status"})), "125");
  EXPECT_THAT(done({"plot", "--format", "svg", "--output", "-"}), HasSubstr("more is better"));
}

TEST_F(CommandLoop, ComparesInPairsWhatVaries) {
  const std::string vary = "n=$(od -An -N1 -tu1 /dev/urandom)\n";
  start();
  // The baseline has become one that varies.
  EXPECT_EQ(step(program("'\"$((60 + n / 100))\"'", vary), "varies").code, 0);
  const Outcome kept = step(program("'\"$((30 + n / 100))\"'", vary), "half");
  EXPECT_EQ(kept.code, 0) << kept.out;
  EXPECT_THAT(value_of("reason", kept.out), HasSubstr("pairs"));
  const Outcome same = step(program("'\"$((30 + n / 100))\"'", vary + ": same"), "no change");
  EXPECT_THAT(same.code, testing::AnyOf(10, 16)) << same.out;
}

TEST_F(CommandLoop, HoldsGuardRails) {
  extend_case("[[guard]]\nname = \"size\"\nline = \"size ([0-9]+)\"\nloss_pct = 10\n");
  repository_.write(kProgram, program("100", "echo size 100"));
  repository_.commit("With a size");
  start();
  const Outcome heavy = step(program("50", "echo size 120"));
  EXPECT_EQ(heavy.code, 18) << heavy.out << heavy.err;
  EXPECT_THAT(value_of("reason", heavy.out), HasSubstr("+20.00 % size"));
  EXPECT_EQ(step(program("50", "echo size 105")).code, 0);
  // Of the ten percent five are left.
  EXPECT_EQ(step(program("25", "echo size 112")).code, 18);
  EXPECT_EQ(step(program("25", "echo size 109")).code, 0);
  EXPECT_THAT(done({"plot", "--guard", "size", "--format", "svg", "--output", "-"}),
              HasSubstr("size (less is better)"));
  expect_refused({"plot", "--guard", "other"}, 2, "it has size");
}

TEST_F(CommandLoop, HasEditableFilesBelowTheCase) {
  start();
  repository_.write("case/more/a.txt", "80\n");
  const Outcome kept = step(program("'\"$(cat more/a.txt)\"'"));
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_EQ(value_of("change", kept.out), "-20.00 %");
}

TEST_F(CommandLoop, RefusesChangesToFixedFiles) {
  start();
  repository_.write("case/hidden/check.sh", "exit 0\n");
  EXPECT_EQ(step(program("1")).code, 15);
  repository_.git("checkout", "--", "case/hidden/check.sh");
  repository_.write("case/new.sh", "exit 0\n");
  EXPECT_EQ(step(program("1")).code, 15);
}

TEST_F(CommandLoop, IsConfirmedAndVerified) {
  start();
  ASSERT_EQ(step(program("80")).code, 0);
  const std::string finish = done({"loop", "finish", "--processes", "2"});
  EXPECT_EQ(value_of("best_value", finish), "value 80");
  EXPECT_THAT(value_of("over_baseline", finish), StartsWith("1.250 times as good"));
  expect_refused({"verify-run", "--processes", "2"}, 2, "--allow lets them run");
  const std::string verified = done({"verify-run", "--processes", "2", "--allow"});
  EXPECT_EQ(value_of("verdict", verified), "holds");
}

TEST_F(CommandLoop, IsDrivenByAnAgent) {
  start();
  const std::filesystem::path agent = repository_.beside("agent.sh");
  repository_.write("../agent.sh",
                    "#!/bin/sh\ngrep -q 'the metric `value`' \"$AUTOKERNEL_BRIEF\" || exit 3\n"
                    "sed -i s/100/70/ case/program.sh\necho 'IDEA: less'\n");
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  const Outcome run = run_autokernel({"loop", "run", "--agent", agent.string(), "--max-runs", "1"});
  EXPECT_THAT(run.out, HasSubstr("-30.00 %")) << run.err;
  EXPECT_EQ(program_now(), program("70"));
}

TEST_F(CommandLoop, LeavesNothingWhenItIsInterrupted) {
  start();
  repository_.write(kProgram, program("90", "sleep 30"));
  RunningProgram running(autokernel({"loop", "step", "-m", "slow"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  running.send(SIGINT);
  const Outcome step = running.wait();
  EXPECT_EQ(step.code, 130) << step.err;
  EXPECT_LT(step.seconds, 10);
  EXPECT_EQ(program_now(), program("100"));
  EXPECT_THAT(std::vector<std::filesystem::path>(
                  std::filesystem::directory_iterator(repository_.beside("tmp")), {}),
              IsEmpty());
}

// Each exits with 3 where it got what it wanted.
class CommandReach : public CommandWorkplace,
                     public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(CommandReach, IsRefused) {
  const std::string root = repository_.root().string();
  const std::string attempt =
      "R=" + root + "; if (" + GetParam().second + ") >/dev/null 2>&1; then exit 3; fi";
  Invocation invocation = autokernel({"bench", "--case", "case"});
  invocation.environment["SECRET_TOKEN"] = "secret";
  repository_.write(kProgram, program("100", attempt));
  const Outcome run = test::run(invocation);
  EXPECT_EQ(run.code, 0) << run.out;
}

// Else these tests would prove nothing.
TEST_F(CommandAttack, WhatAProgramCanReachShows) {
  EXPECT_EQ(bench_of(program("100", "if (cat fixed.txt) >/dev/null 2>&1; then exit 3; fi")).code,
            14);
}

INSTANTIATE_TEST_SUITE_P(
    Each, CommandReach,
    testing::Values(
        std::pair{"HiddenFiles", "cat hidden/check.sh"},
        std::pair{"TheRepository", "cat $R/case/hidden/check.sh"},
        std::pair{"ListingTheRepository", "ls $R/case"},
        std::pair{"WritingTheRepository", "echo x > $R/case/program.sh"},
        std::pair{"WritingTemporaryFiles", "echo x > /tmp/autokernel-was-here"},
        std::pair{"OtherFilesOfTheSystem", "cat /etc/hostname"},
        std::pair{"SharedMemory", "echo x > /dev/shm/autokernel-was-here"},
        std::pair{"ProcessesOfOthers", "kill -0 1"},
        std::pair{"ItsParentsEnvironment", "cat /proc/$PPID/environ"},
        std::pair{"SecretsOfTheUser", "env | grep secret"},
        std::pair{"TheNetwork", "python3 -c 'import socket; socket.socket()'"},
        std::pair{"UnixSockets", "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'"},
        std::pair{"ModesOfOtherFiles", "chmod 777 $R/case/case.toml"},
        std::pair{"TheRunBefore", "test -e left; touch left; test -e ../../../*/work/files/left"},
        std::pair{"ItsOwnOutputOfBefore", "test -e out.txt"}),
    [](const auto& tested) { return tested.param.first; });

TEST_F(CommandAttack, ProcessesThatStayAreEnded) {
  const Outcome run = bench_of(program("100", "setsid sleep 977 & (sleep 978 &)"));
  EXPECT_EQ(run.code, 0) << run.out;
  const Outcome left = test::run({.program = "/usr/bin/pgrep",
                                  .arguments = {"-f", "sleep 97[78]"},
                                  .directory = "/",
                                  .environment = {}});
  EXPECT_EQ(left.code, 1) << left.out;
}

TEST_F(CommandAttack, AChildThatNobodyWaitsForIsCounted) {
  change_case("json = \"/value\"", "cpu_time = true");
  repository_.write("case/more/hidden.txt", R"(import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork() == 0:
    while time.process_time() < 0.5:
        pass
    os._exit(0)
try:
    os.wait()
except ChildProcessError:
    pass
)");
  const Outcome run = bench_of(program("100", "python3 more/hidden.txt"));
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  if (run.err.find("does not count processor time") != std::string::npos)
    GTEST_SKIP() << "this machine lets nobody count";
  EXPECT_GE(std::stod(value_of("value", run.out)), 0.5) << run.out;
}

TEST_F(CommandAttack, ABuildThatChangesFixedFilesIsRefused) {
  change_case("cp fixed.txt built.txt", "cp fixed.txt built.txt; sh ./more/build.txt");
  repository_.write("case/more/build.txt", "echo other > fixed.txt; cp fixed.txt built.txt\n");
  const Outcome run = bench_of(program("1"));
  EXPECT_EQ(run.code, 12) << run.out;
  EXPECT_THAT(run.out, HasSubstr("the build changed fixed.txt, which is fixed"));
}

TEST_F(CommandAttack, EndlessOutputIsTheProgramsFault) {
  const Outcome run = bench_of(program("1", "yes 0123456789abcdef | head -c 80000000"));
  EXPECT_EQ(run.code, 14) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("printed more than 64 MiB"));
}

TEST_F(CommandAttack, AForkBombIsEnded) {
  const Outcome run = bench_of(program("1", "for i in $(seq 1 5000); do sleep 30 & done; wait"));
  EXPECT_THAT(run.code, testing::AnyOf(13, 14)) << run.out << run.err;
}

// What one experiment has won is not there for the next to spend.
TEST_F(CommandAttack, AGuardGivesNoCreditForGains) {
  extend_case("[[guard]]\nname = \"size\"\njson = \"/size\"\nloss_pct = 20\n");
  const auto with_size = [](const std::string& value, const std::string& size) {
    std::string text = program(value);
    const std::string from = "\"value\": " + value;
    return text.replace(text.find(from), from.size(), from + ", \"size\": " + size);
  };
  repository_.write(kProgram, with_size("100", "10"));
  repository_.commit("With a size");
  start();
  EXPECT_EQ(step(with_size("90", "4")).code, 0);
  const Outcome over = step(with_size("80", "9"));
  EXPECT_EQ(over.code, 18) << over.out;
  EXPECT_EQ(step(with_size("80", "4.5")).code, 0);
}

TEST_F(CommandAttack, AShadowedModuleOfTheCheckIsNotSeen) {
  change_case("editable = [\"program.sh\", ", "editable = [\"program.sh\", \"j*.py\", ");
  change_case("sh hidden/check.sh", "python3 check.py");
  repository_.write(
      "case/check.py",
      "import json, sys\nsys.exit(0 if open('out.txt').read().startswith('right') else 1)\n");
  repository_.commit("A check in Python");
  repository_.write("case/json.py", "import sys\nsys.exit(0)\n");
  repository_.write(kProgram, "echo wrong > out.txt; echo '{\"value\": 1}'");
  EXPECT_EQ(bench().code, 11);
}

}  // namespace
}  // namespace autokernel::test
