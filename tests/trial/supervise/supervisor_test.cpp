// The supervisor with runners made of shell commands: whatever a runner does, its end is known and
// nothing is left.
#include "autokernel/trial/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/trial/message.h"
#include "support/census.h"
#include "support/present.h"
#include "support/scratch_folder.h"

namespace autokernel::trial {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Lt;
using testing::Optional;
using testing::Property;
using testing::SizeIs;
using testing::StartsWith;
using testing::Throws;
using testing::ThrowsMessage;

// A command that sends an event, to be put into a shell script.
std::string say(const Event& event) {
  const std::string line = encode(event);
  return "cat >&3 <<'END'\n" + line + "END\n";
}

Result success() {
  Result result;
  result.problem = "as sent";
  result.times = Times{.samples_us = {1, 2, 3}, .median_us = 2, .p95_us = 3, .noise_pct = 0};
  return result;
}

class Supervisor : public testing::Test {
 protected:
  Supervisor() {
    ::setenv("TMPDIR", temporary_.c_str(), 1);
    limits_.start_seconds = 20;
    limits_.compile_seconds = limits_.check_seconds = limits_.time_seconds = 20;
  }
  ~Supervisor() override {
    ::unsetenv("TMPDIR");
    EXPECT_THAT(test::processes_marked(temporary_.string()), IsEmpty());
    EXPECT_THAT(test::files_below(temporary_), IsEmpty());
  }

  Result supervise(const std::string& script) {
    return trial::supervise(request_, limits_, observer_,
                            {.program = "/bin/sh", .arguments = {"-c", script}});
  }

  test::ScratchFolder scratch_;
  std::filesystem::path temporary_ = scratch_.folder("tmp");
  Request request_;
  Limits limits_;
  Observer observer_;
};

TEST_F(Supervisor, ReturnsTheResultOfItsRunner) {
  const Result result =
      supervise(say(Phase::compile) + say(Phase::check) + say(Phase::time) + say(success()));
  EXPECT_EQ(result.verdict, Verdict::correct);
  EXPECT_EQ(result.problem, "as sent");
  ASSERT_TRUE(result.times);
  EXPECT_THAT(result.times, Optional(Field(&Times::samples_us, ElementsAre(1, 2, 3))));
}

TEST_F(Supervisor, HandsTheRequestOverWhole) {
  request_.source = std::string(3'000'000, 'x') + "the end";
  const auto copy = scratch_.path() / "copy";
  (void)supervise("cat > " + copy.string() + "; " + say(success()));
  EXPECT_EQ(decode_request(test::contents(copy)).source, request_.source);
}

TEST_F(Supervisor, FillsInHowLongEachPhaseAndTheTrialTook) {
  const Result result = supervise(say(Phase::compile) + "sleep 0.2\n" + say(success()));
  EXPECT_THAT(result.phase_seconds, AllOf(SizeIs(2), Contains(Key("start"))));
  // From when the supervisor read of it, which on a busy machine is later.
  EXPECT_GT(result.phase_seconds.at("compile"), 0.05);
  EXPECT_GE(result.total_seconds, 0.2);
}

TEST_F(Supervisor, KeepsThePhaseTimesThatTheRunnerKnows) {
  Result sent = success();
  sent.phase_seconds = {{"compile", 77}};
  EXPECT_EQ(supervise(say(Phase::compile) + say(sent)).phase_seconds.at("compile"), 77);
}

TEST_F(Supervisor, AsksAnEmulatedKernelThatDoesNotEndWhereItsWarpsStand) {
  limits_.check_seconds = 0.5;
  Result known;
  known.device = DeviceReport{.name = "CPU", .major = 9, .minor = 0, .emulated = true};
  const Result result = supervise("answer() {\n" + say(Whereabouts{"3 warps at kernel.cu:41"}) +
                                  "}\ntrap answer USR1\n" + say(Outline{known}) +
                                  say(Phase::check) + "while :; do sleep 0.05; done\n");
  EXPECT_EQ(result.verdict, Verdict::timed_out);
  EXPECT_THAT(result.reason, HasSubstr("; when it was stopped: 3 warps at kernel.cu:41"));
}

TEST_F(Supervisor, KillsAnEmulatedKernelThatDoesNotAnswerWithinASecond) {
  limits_.check_seconds = 0.5;
  Result known;
  known.device = DeviceReport{.name = "CPU", .major = 9, .minor = 0, .emulated = true};
  const Result result =
      supervise("trap '' USR1\n" + say(Outline{known}) + say(Phase::check) + "sleep 100\n");
  EXPECT_EQ(result.verdict, Verdict::timed_out);
  EXPECT_LT(result.phase_seconds.at("check"), 1.5);
}

TEST_F(Supervisor, KeepsThePtxThatTheRunnerNamedLast) {
  const Result result = supervise(say(Code{"one"}) + say(Phase::check) + say(Code{"two"}) +
                                  say(Phase::time) + say(success()));
  EXPECT_EQ(result.ptx, "two");
}

TEST_F(Supervisor, ThrowsTheErrorOfItsRunnerWithItsExitCode) {
  EXPECT_THAT([&] { (void)supervise(say(Failure{Stop::environment, "no NVRTC here"}) + "exit 3"); },
              Throws<Error>(AllOf(Property(&Error::stop, Stop::environment),
                                  Property(&Error::what, HasSubstr("no NVRTC here")))));
}

TEST_F(Supervisor, GivesWhatTheRunnerPrintedAsDetail) {
  Result sent = success();
  sent.detail = "compiler text";
  const Result result = supervise("echo to out; echo to err >&2\n" + say(sent));
  EXPECT_EQ(result.detail, "compiler text\nprinted by the runner:\nto out\nto err\n");
}

TEST_F(Supervisor, IsNotHeldUpByARunnerThatPrintsWithoutEnd) {
  const Result result = supervise("head -c 50000000 /dev/zero | tr '\\0' x\n" + say(success()));
  EXPECT_EQ(result.verdict, Verdict::correct);
  EXPECT_THAT(result.detail, SizeIs(Lt(1'100'000U)));
}

TEST_F(Supervisor, ReadsWhatIsPrintedAfterTheResult) {
  const Result result =
      supervise(say(success()) + "head -c 1000000 /dev/zero | tr '\\0' x; echo last words");
  EXPECT_THAT(result.detail, EndsWith("last words\n"));
}

TEST_F(Supervisor, CallsAKernelThatNeverEndsTimedOut) {
  limits_.check_seconds = 0.3;
  const Result result = supervise(say(Phase::compile) + say(Phase::check) + "sleep 100");
  EXPECT_EQ(result.verdict, Verdict::timed_out);
  EXPECT_THAT(result.reason, HasSubstr("checking the kernel took more than 0.3 s"));
  EXPECT_LT(result.total_seconds, 5);
}

TEST_F(Supervisor, GivesEachPhaseTimeOfItsOwn) {
  limits_.compile_seconds = limits_.check_seconds = limits_.time_seconds = 2;
  const Result result =
      supervise(say(Phase::compile) + "sleep 0.8\n" + say(Phase::check) + "sleep 0.8\n" +
                say(Phase::time) + "sleep 0.8\n" + say(success()));
  EXPECT_EQ(result.verdict, Verdict::correct);
}

TEST_F(Supervisor, KillsTheWholeGroupOnATimeOut) {
  limits_.check_seconds = 0.3;
  const Result result = supervise(say(Phase::check) + "sleep 100 & sleep 100 & sleep 100");
  EXPECT_EQ(result.verdict, Verdict::timed_out);
  EXPECT_THAT(test::processes_still_marked(temporary_.string()), IsEmpty());
}

TEST_F(Supervisor, KillsAProcessThatLeftTheGroup) {
  limits_.check_seconds = 0.3;
  (void)supervise(say(Phase::check) + "setsid sh -c 'sleep 100 & sleep 100' & sleep 100");
  EXPECT_THAT(test::processes_marked(temporary_.string()), IsEmpty());
}

TEST_F(Supervisor, KillsAProcessThatOutlivesARunnerWhichSucceeds) {
  const Result result = supervise("setsid sleep 100 3>&- & sleep 0.1\n" + say(success()));
  EXPECT_EQ(result.verdict, Verdict::correct);
  EXPECT_THAT(test::processes_marked(temporary_.string()), IsEmpty());
}

TEST_F(Supervisor, DoesNotWaitForARunnerThatHangsAfterItsResult) {
  const Result result = supervise(say(success()) + "sleep 100");
  EXPECT_EQ(result.verdict, Verdict::correct);
  EXPECT_LT(result.total_seconds, 10);
}

TEST_F(Supervisor, ReportsWhatIsKnownOfACandidateThatTakesTheRunnerDown) {
  Result known;
  known.problem = "as sent";
  known.device = DeviceReport{.name = "a device", .major = 9, .minor = 0, .emulated = true};
  const Result result = supervise(say(Outline{known}) + say(Phase::check) + "kill -SEGV $$");
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.reason, HasSubstr("SIGSEGV"));
  EXPECT_EQ(result.problem, "as sent");
  EXPECT_THAT(result.device, Optional(Field(&DeviceReport::name, "a device")));
}

// A gain that is being measured again, with each kernel in a process of its own.
Result found_faster() {
  Result known;
  known.problem = "as sent";
  PairedComparison& comparison = known.comparison.emplace();
  comparison.outcome = Outcome::faster;
  comparison.as_fast = true;
  comparison.reason = "-10.00 % time";
  return known;
}

TEST_F(Supervisor, DoesNotConfirmAGainWhoseProcessesTakeTheRunnerDown) {
  const Result result =
      supervise(say(Outline{found_faster()}) + say(Phase::confirm) + "kill -SEGV $$");
  EXPECT_EQ(result.verdict, Verdict::correct);
  EXPECT_EQ(result.problem, "as sent");
  const PairedComparison& comparison = test::present(result.comparison);
  EXPECT_EQ(comparison.outcome, Outcome::inconclusive);
  EXPECT_FALSE(comparison.as_fast);
  EXPECT_THAT(comparison.reason, HasSubstr("-10.00 % time; in its own process, a kernel fails: "));
  EXPECT_THAT(comparison.reason,
              HasSubstr("SIGSEGV while confirming the gain in separate processes"));
}

TEST_F(Supervisor, DoesNotConfirmAGainWhoseProcessesDoNotEnd) {
  limits_.time_seconds = 0.3;
  const Result result = supervise(say(Outline{found_faster()}) + say(Phase::confirm) + "sleep 100");
  EXPECT_EQ(test::present(result.comparison).outcome, Outcome::inconclusive);
  EXPECT_THAT(test::present(result.comparison).reason, HasSubstr("took more than 0.3 s"));
}

TEST_F(Supervisor, GivesEachProcessThatConfirmsAGainADeadlineOfItsOwn) {
  limits_.time_seconds = 2;
  const std::string apart = say(Phase::confirm) + "sleep 0.8\n";
  EXPECT_EQ(supervise(apart + apart + apart + say(success())).verdict, Verdict::correct);
}

TEST_F(Supervisor, CallsARunnerKilledByASignalCrashedAndNamesTheSignal) {
  const Result result = supervise(say(Phase::check) + "kill -SEGV $$");
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.reason, HasSubstr("SIGSEGV while checking the kernel"));
}

// The kernel is compiled in a process of its own meanwhile.
TEST_F(Supervisor, HoldsTheMachineResponsibleForACrashOfTheRunnerWhileTheKernelIsCompiled) {
  EXPECT_THAT(
      [this] { (void)supervise(say(Phase::compile) + "kill -SEGV $$"); },
      ThrowsMessage<Error>(HasSubstr("SIGSEGV while none of the kernel's code was loaded")));
  EXPECT_EQ(supervise(say(Phase::compile) + "kill -KILL $$").verdict, Verdict::crashed);
}

TEST_F(Supervisor, BelievesAResultThatCameBeforeACrash) {
  EXPECT_EQ(supervise(say(success()) + "kill -SEGV $$").verdict, Verdict::correct);
}

TEST_F(Supervisor, DoesNotBelieveHalfAResult) {
  const std::string line = encode(Event{success()});
  const Result result = supervise(say(Phase::time) + "printf '%s' '" +
                                  line.substr(0, line.size() - 1) + "' >&3; kill -BUS $$");
  EXPECT_EQ(result.verdict, Verdict::crashed);
}

TEST_F(Supervisor, TakesARunnerThatEndsWithoutAResultForBroken) {
  EXPECT_THAT([&] { (void)supervise(say(Phase::check) + "echo 'what happened' >&2; exit 5"); },
              Throws<Error>(AllOf(Property(&Error::stop, Stop::internal),
                                  Property(&Error::what, HasSubstr("what happened")))));
}

TEST_F(Supervisor, TakesARunnerThatTalksNonsenseForBroken) {
  EXPECT_THAT([&] { (void)supervise("echo nonsense >&3; sleep 100"); },
              ThrowsMessage<Error>(HasSubstr("it is not JSON")));
}

TEST_F(Supervisor, BlamesTheMachineForARunnerThatDoesNotGetGoing) {
  limits_.start_seconds = 0.3;
  EXPECT_THAT([&] { (void)supervise("sleep 100"); },
              Throws<Error>(Property(&Error::stop, Stop::environment)));
}

TEST_F(Supervisor, EndsACompilerThatFillsTheMemory) {
  limits_.memory_bytes = 100U << 20U;
  const Result result =
      supervise(say(Phase::compile) + "(head -c 300000000 /dev/zero; sleep 100) | tail -n 1");
  EXPECT_EQ(result.verdict, Verdict::does_not_compile);
  EXPECT_THAT(result.reason, HasSubstr("100 are allowed"));
}

TEST_F(Supervisor, EndsAKernelThatFillsTheMemory) {
  limits_.memory_bytes = 100U << 20U;
  const Result result =
      supervise(say(Phase::check) + "(head -c 300000000 /dev/zero; sleep 100) | tail -n 1");
  EXPECT_EQ(result.verdict, Verdict::crashed);
}

// nvcc takes more for a template than a candidate may have.
TEST_F(Supervisor, LeavesTheCompilerOfABaselineItsMemory) {
  limits_.memory_bytes = 100U << 20U;
  request_.only_baseline = "baseline_cub.cu";
  const Result result =
      supervise(say(Phase::time) + "(head -c 300000000 /dev/zero; sleep 1) | tail -n 1 | wc -c\n" +
                say(success()));
  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
}

TEST_F(Supervisor, GivesTheRunnerATemporaryFolderOfItsOwnAndRemovesIt) {
  const Result result =
      supervise("echo $TMPDIR; touch $TMPDIR/file; mkdir $TMPDIR/folder\n" + say(success()));
  EXPECT_THAT(result.detail, HasSubstr(temporary_.string() + "/autokernel-scratch-"));
  EXPECT_THAT(test::files_below(temporary_), IsEmpty());
}

TEST_F(Supervisor, TellsAnObserverOfEachPhase) {
  std::vector<std::string> phases;
  observer_.progress = [&](Phase phase, std::chrono::duration<double>) {
    if (phases.empty() || phases.back() != spelling(phase)) phases.emplace_back(spelling(phase));
  };
  (void)supervise("sleep 0.2\n" + say(Phase::compile) + "sleep 0.2\n" + say(Phase::time) +
                  "sleep 0.2\n" + say(success()));
  EXPECT_THAT(phases, ElementsAre("start", "compile", "time"));
}

TEST_F(Supervisor, KeepsADiagnosticLog) {
  std::string log;
  observer_.note = [&](const std::string& line) { log += line + "\n"; };
  (void)supervise(say(Phase::compile) + say(success()));
  EXPECT_THAT(log, AllOf(StartsWith("runner "), HasSubstr("entered phase compile")));
}

TEST_F(Supervisor, InterruptedKillsItsRunnerAndSaysByWhichSignal) {
  const std::string script = say(Phase::check) + "setsid sleep 100 & kill -TERM " +
                             std::to_string(::getpid()) + "; sleep 100";
  EXPECT_THAT([&] { (void)supervise(script); },
              Throws<Interrupted>(Property(&Interrupted::signal, SIGTERM)));
}

TEST_F(Supervisor, CannotStartARunnerThatIsMissing) {
  EXPECT_THAT([&] { (void)trial::supervise(request_, limits_, {}, {"/nowhere/runner", {}}); },
              ThrowsMessage<Error>(HasSubstr("cannot start /nowhere/runner")));
}

TEST_F(Supervisor, CanBeCalledAgainAfterACrash) {
  EXPECT_EQ(supervise(say(Phase::check) + "kill -SEGV $$").verdict, Verdict::crashed);
  EXPECT_EQ(supervise(say(success())).verdict, Verdict::correct);
}

}  // namespace
}  // namespace autokernel::trial
