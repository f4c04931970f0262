// The process that has the next trial's runner ready: it saves time, changes no verdict, and
// nothing is left of it.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <thread>
#include <tuple>

#include "e2e/workplace.h"
#include "support/census.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kResident = "autokernel-res";
constexpr const char* kRunner = "autokernel-run";
constexpr const char* kLauncher = "autokernel-lau";

// Whether that becomes so.
template <typename Condition>
[[nodiscard]] bool soon(Condition condition, seconds patience = seconds{20}) {
  const auto deadline = steady_clock::now() + patience;
  while (!condition()) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(milliseconds{10});
  }
  return true;
}

class Resident : public Workplace {
 protected:
  static void SetUpTestSuite() { share_no_resident(); }
  // It ends soon after the test, whatever becomes of that.
  [[nodiscard]] Invocation staying(const std::vector<std::string>& arguments,
                                   int stay_seconds = 20) const {
    Invocation invocation = autokernel(arguments);
    invocation.environment["AUTOKERNEL_RESIDENT"] = std::to_string(stay_seconds);
    return invocation;
  }
  [[nodiscard]] Outcome bench_staying(const std::string& name,
                                      const std::vector<std::string>& more = {}) const {
    return test::run(staying(bench_arguments(name, more)));
  }
  [[nodiscard]] pid_t process(const char* name) const {
    return process_named(name, scratch_.path().string());
  }
  // One that waits, with its launcher.
  void get_ready() const {
    const Outcome run = bench_staying("tiled");
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    ASSERT_TRUE(soon([&] { return process(kLauncher) != 0; }));
  }
  void expect_gone() const {
    EXPECT_TRUE(soon([&] { return processes_marked(scratch_.path().string()).empty(); }));
    expect_nothing_left();
  }
  // A process that it has just started still has its name.
  void end_it() const {
    EXPECT_TRUE(soon([&] {
      std::ignore = signal_process(process(kResident), SIGTERM);
      return processes_marked(scratch_.path().string()).empty();
    }));
    expect_nothing_left();
  }
};

[[nodiscard]] bool was_ready(const Outcome& run) {
  return run.err.find("was ready") != std::string::npos;
}

TEST_F(Resident, HasARunnerReadyForTheNextBench) {
  get_ready();
  const pid_t runner = process(kRunner);
  const Outcome next = bench_staying("tiled", {"-v"});
  EXPECT_EQ(next.code, 0) << next.out << next.err;
  EXPECT_EQ(value_of("correct", next.out), "True");
  EXPECT_THAT(next.err, HasSubstr("runner " + std::to_string(runner) + " was ready"));
  // Each is for one trial.
  EXPECT_TRUE(soon([&] { return process(kRunner) != 0 && process(kRunner) != runner; }));
  end_it();
}

TEST_F(Resident, ChangesNoVerdict) {
  struct Verdict {
    const char* kernel;
    int code;
    const char* verdict;
  };
  for (const auto& [kernel, code, verdict] :
       {Verdict{"wrong_in_one_element", 11, "incorrect"},
        Verdict{"syntax_error", 12, "does_not_compile"}, Verdict{"never_ends", 13, "timed_out"},
        Verdict{"traps", 14, "crashed"}}) {
    SCOPED_TRACE(kernel);
    get_ready();
    Outcome run = bench_staying(kernel, {"-v", "--timeout", "2"});
    EXPECT_TRUE(was_ready(run)) << run.err;
    run.err.clear();  // what -v says
    expect_rejection(run, code, verdict);
  }
  end_it();
}

TEST_F(Resident, GoesWhenNobodyAsks) {
  EXPECT_EQ(test::run(staying(bench_arguments("tiled", {}), 1)).code, 0);
  EXPECT_TRUE(soon([&] { return process(kLauncher) != 0; }));
  expect_gone();
}

TEST_F(Resident, IsNeitherStartedNorAskedWhereItIsNotWanted) {
  EXPECT_EQ(bench_staying("tiled", {"--no-resident"}).code, 0);
  expect_nothing_left();
  get_ready();
  EXPECT_FALSE(was_ready(bench_staying("tiled", {"-v", "--no-resident"})));
  Invocation none = staying(bench_arguments("tiled", {"-v"}), 0);
  EXPECT_FALSE(was_ready(test::run(none)));
  end_it();
}

TEST_F(Resident, IsNotStartedInATurnOfAnAgent) {
  Invocation turn = staying(bench_arguments("tiled", {"-v"}));
  turn.environment["AUTOKERNEL_TURN"] = "demo-1";
  EXPECT_EQ(test::run(turn).code, 0);
  expect_nothing_left();
}

TEST_F(Resident, IsNoUseToWhoeverHasOtherVariables) {
  get_ready();
  Invocation other = staying(bench_arguments("tiled", {"-v"}));
  other.environment["LC_ALL"] = "C";
  EXPECT_FALSE(was_ready(test::run(other)));
  end_it();
}

TEST_F(Resident, IsNoUseForChecksAtOtherSizes) {
  get_ready();
  const Outcome full = bench_staying("tiled", {"-v", "--full"});
  EXPECT_EQ(full.code, 0) << full.out;
  EXPECT_FALSE(was_ready(full));
  end_it();
}

TEST_F(Resident, IsNoUseForACaseThatHasChanged) {
  get_ready();
  const fs::path file = scratch_.path() / "kernels" / "case.toml";
  const std::string before = contents(file);
  scratch_.write("kernels/case.toml", before + "# as it was, but for this line\n");
  EXPECT_FALSE(was_ready(bench_staying("tiled", {"-v"})));
  scratch_.write("kernels/case.toml", before);
  end_it();
}

// The references are compiled ahead, and what they include is no part of case.toml's folder.
TEST_F(Resident, JudgesByTheReferenceAsItIsNow) {
  const fs::path original = fs::path(AUTOKERNEL_SOURCES) / "tests" / "data" / "bias_relu";
  fs::copy(original, scratch_.path() / "bias");
  scratch_.write("bias/case.toml",
                 contents(original / "case.toml") + "\n[compile]\ninclude = [\"inc\"]\n");
  std::string reference = contents(original / "reference.cu");
  reference.replace(reference.find("0.0f"), 4, "FLOOR");
  scratch_.write("bias/reference.cu", "#include \"floor.h\"\n" + reference);
  (void)scratch_.folder("bias/inc");
  scratch_.write("bias/inc/floor.h", "#define FLOOR 0.0f\n");
  const std::vector<std::string> bench = {"bench", "--case", "bias",  "--device",
                                          "cpu",   "--size", "check", "-v"};
  EXPECT_EQ(test::run(staying(bench)).code, 0);
  ASSERT_TRUE(soon([&] { return process(kLauncher) != 0; }));
  EXPECT_TRUE(was_ready(test::run(staying(bench))));
  ASSERT_TRUE(soon([&] { return process(kLauncher) != 0; }));
  scratch_.write("bias/inc/floor.h", "#define FLOOR 1.0f\n");
  const Outcome wrong = test::run(staying(bench));
  EXPECT_EQ(wrong.code, 11) << wrong.out;
  EXPECT_FALSE(was_ready(wrong));
  end_it();
}

TEST_F(Resident, BlamesNoKernelForTheOneThatWasExpected) {
  const std::string never =
      (fs::path(AUTOKERNEL_SOURCES) / "tests" / "adversarial" / "kernels" / "15_never_compiles.cu")
          .string();
  const Outcome first = test::run(staying(
      {"bench", "--kernel", never, "--device", "cpu", "--size", "check", "--timeout", "2"}));
  EXPECT_EQ(first.code, 13) << first.out << first.err;
  std::this_thread::sleep_for(milliseconds{500});
  const Outcome next = bench_staying("tiled", {"--timeout", "4"});
  EXPECT_EQ(next.code, 0) << next.out << next.err;
  end_it();
}

TEST_F(Resident, WhoseRunnerHangsCostsARepetition) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  get_ready();
  ASSERT_TRUE(signal_process(process(kRunner), SIGSTOP));
  const Outcome run = bench_staying("tiled", {"-v"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("is of no use"));
  end_it();
}

TEST_F(Resident, IsGoneAfterAnUpgrade) {
  const fs::path program = scratch_.path() / "bin" / "autokernel";
  fs::create_directories(program.parent_path());
  fs::copy(AUTOKERNEL_PROGRAM, program);
  const fs::path built = fs::path(AUTOKERNEL_PROGRAM).parent_path().parent_path();
  for (const char* beside : {"lib", "include"}) {
    if (fs::exists(built / beside)) fs::create_symlink(built / beside, scratch_.path() / beside);
  }
  Invocation bench = staying(bench_arguments("tiled", {"-v"}));
  bench.program = program;
  ASSERT_EQ(test::run(bench).code, 0);
  ASSERT_TRUE(soon([&] { return process(kLauncher) != 0; }));
  const pid_t old = process(kResident);
  ASSERT_NE(old, 0);
  fs::copy(AUTOKERNEL_PROGRAM, program.string() + ".new");
  fs::rename(program.string() + ".new", program);
  EXPECT_FALSE(was_ready(test::run(bench)));
  EXPECT_TRUE(soon([&] { return !signal_process(old, 0); }));
  EXPECT_TRUE(soon([&] { return process(kLauncher) != 0; }));
  EXPECT_TRUE(was_ready(test::run(bench)));
  end_it();
}

TEST_F(Resident, ThatIsKilledInATrialCostsARepetition) {
  get_ready();
  RunningProgram bench(staying(bench_arguments("tiled", {"-v"})));
  ASSERT_TRUE(soon([&] { return bench.err_so_far().find("phase check") != std::string::npos; }));
  ASSERT_TRUE(signal_process(process(kResident), SIGKILL)) << bench.err_so_far();
  const Outcome run = bench.wait();
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("is of no use"));
  expect_next_bench_works();  // it clears away
  end_it();
}

TEST_F(Resident, EndsTheRunnerOfWhoeverIsKilled) {
  get_ready();
  RunningProgram bench(staying(bench_arguments("never_ends", {"-v"})));
  ASSERT_TRUE(soon([&] { return bench.err_so_far().find("phase check") != std::string::npos; }));
  const pid_t runner = process(kRunner);
  ASSERT_NE(runner, 0);
  bench.send(SIGKILL);
  EXPECT_EQ(bench.wait().code, 128 + SIGKILL);
  EXPECT_TRUE(soon([&] { return !signal_process(runner, 0); }));
  expect_next_bench_works();  // it clears away
  end_it();
}

TEST_F(Resident, LetsABenchBeInterrupted) {
  get_ready();
  RunningProgram bench(staying(bench_arguments("never_ends", {"-v"})));
  ASSERT_TRUE(soon([&] { return bench.err_so_far().find("phase check") != std::string::npos; }));
  bench.send(SIGINT);
  EXPECT_EQ(bench.wait().code, 128 + SIGINT);
  end_it();
}

TEST_F(Resident, ThatDoesNotAnswerHoldsNobodyUp) {
  get_ready();
  const pid_t resident = process(kResident);
  ASSERT_TRUE(signal_process(resident, SIGSTOP));
  const Outcome run = bench_staying("tiled", {"-v"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_FALSE(was_ready(run));
  ASSERT_TRUE(signal_process(resident, SIGCONT));
  end_it();
}

TEST_F(Resident, IsAskedForANumberOfSeconds) {
  for (const char* text : {"yes", "-1", "10x", "100000000"}) {
    Invocation bench = autokernel(bench_arguments("tiled", {}));
    bench.environment["AUTOKERNEL_RESIDENT"] = text;
    expect_refusal(test::run(bench), 2, "AUTOKERNEL_RESIDENT");
  }
  expect_nothing_left();
}

TEST_F(Resident, IsNoCommandOfAUsers) {
  expect_refusal(run_autokernel({"resident"}), 2, "is started by autokernel itself");
}

// Whatever of it is killed, at any moment: the next bench is right, and nothing is left.
TEST_F(Resident, LeavesNothingWhereverItIsKilled) {
  const int kills = everything_is_wanted() ? 200 : 8;
  std::mt19937 random(20261125);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  for (int i = 0; i < kills; ++i) {
    RunningProgram bench(staying(bench_arguments("tiled", {}), 60));
    std::this_thread::sleep_for(milliseconds{random() % 600});
    const std::vector<pid_t> all = processes_marked(scratch_.path().string());
    if (!all.empty()) std::ignore = signal_process(all[random() % all.size()], SIGKILL);
    const int code = bench.wait().code;
    EXPECT_TRUE(code == 0 || code == 3 || code == 14 || code == 128 + SIGKILL) << code;
  }
  const Outcome run = bench_staying("tiled");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_TRUE(soon([&] {
    std::ignore = signal_process(process(kResident), SIGTERM);
    return processes_marked(scratch_.path().string()).empty();
  }));
  expect_next_bench_works();
  expect_nothing_left();
}

}  // namespace
}  // namespace autokernel::test
