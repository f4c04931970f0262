// Nothing wrong with the kernel: the disk is full, the folder cannot be written, there is no home,
// the clock jumps, somebody else measures too.
#include <gmock/gmock.h>

#include <algorithm>

#include "adversarial/switched_defences.h"
#include "e2e/workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class DamagedMachine : public Workplace {
 protected:
  // A shell script in the workplace, which may mount what it likes: nobody else sees it, and it is
  // gone with the script.
  [[nodiscard]] Outcome run_with_mounts(const std::string& script) const {
    Invocation invocation = autokernel({});
    invocation.program = "/usr/bin/unshare";
    invocation.arguments = {"--user", "--map-root-user", "--mount", "/bin/sh", "-c", script};
    return test::run(invocation);
  }
  // Why this machine does not allow that; empty where it does.
  [[nodiscard]] std::string why_no_mounts() const {
    if (!std::filesystem::exists("/usr/bin/unshare")) return "there is no unshare";
    (void)scratch_.folder("probe");
    const Outcome probe = run_with_mounts("mount -t tmpfs none probe");
    return probe.code == 0 ? "" : "cannot mount: " + probe.err;
  }
  // A bench in a script, with the variables set as told.
  [[nodiscard]] static std::string bench_in(const std::string& variables,
                                            const std::string& kernel) {
    return "env " + variables +
           " '" AUTOKERNEL_PROGRAM "' bench --device cpu --size check --kernel '" AUTOKERNEL_SOURCES
           "/tests/data/kernels/" +
           kernel + ".cu'";
  }
};

constexpr const char* kFullDisk =
    "mkdir full && mount -t tmpfs -o size=64k none full && "
    "(head -c 1000000 /dev/zero > full/filler || true) 2>/dev/null; ";

TEST_F(DamagedMachine, AFullDiskCostsTheLogAndNotTheVerdict) {
  if (const std::string why = why_no_mounts(); !why.empty()) GTEST_SKIP() << why;
  const Outcome run = run_with_mounts(
      kFullDisk + bench_in("TMPDIR=full HOME=full XDG_CACHE_HOME=full/cache", "syntax_error") +
      "; code=$?; find full -type f ! -name filler ! -name emulated.lock >&2; "
      "exit $code");
  EXPECT_EQ(run.code, 12);
  EXPECT_EQ(value_of("verdict", run.out), "does_not_compile");
  EXPECT_THAT(run.err, HasSubstr("cannot keep the log: "));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << "or a file is left:\n"
                                                                 << run.err;
  expect_nothing_left();
  expect_next_bench_works();
}

TEST_F(DamagedMachine, AFullDiskDoesNotKeepACorrectKernelFromItsTime) {
  if (const std::string why = why_no_mounts(); !why.empty()) GTEST_SKIP() << why;
  const Outcome run = run_with_mounts(
      kFullDisk + bench_in("TMPDIR=full HOME=full XDG_CACHE_HOME=full/cache", "tiled"));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
}

// It holds for memory that processes share, too.
TEST_F(DamagedMachine, ALimitOnTheSizeOfFilesThatOutputsDoNotFitIsNamedWithTheRemedy) {
  // Through a pipe: what the outputs of a test go to is a file as well.
  Invocation limited = autokernel(
      {"-c", "((ulimit -f 0; " + bench_in("A=", "syntax_error") + "; echo exit: $?) 2>&1) | cat"});
  limited.program = "/bin/sh";
  const Outcome run = test::run(limited);
  EXPECT_EQ(value_of("exit", run.out), "3");
  EXPECT_THAT(run.out, HasSubstr("raise it: ulimit -f unlimited"));
  expect_nothing_left();
}

TEST_F(DamagedMachine, AFolderForTemporaryFilesThatCannotBeWrittenIsNamedWithTheRemedy) {
  if (const std::string why = why_no_mounts(); !why.empty()) GTEST_SKIP() << why;
  expect_refusal(run_with_mounts("mount --bind . . && mount -o remount,ro,bind . && " +
                                 bench_in("A=", "tiled")),
                 3, "set TMPDIR to a writable folder");
  expect_nothing_left();
}

TEST_F(DamagedMachine, AReadOnlyRepositoryCostsTheLogAndNotTheVerdict) {
  if (const std::string why = why_no_mounts(); !why.empty()) GTEST_SKIP() << why;
  (void)scratch_.folder(".git");
  const Outcome run = run_with_mounts(
      "mount --bind . . && mount -o remount,ro,bind . && mount -t tmpfs none tmp && cd . && " +
      bench_in("A=", "syntax_error") + "; code=$?; ls -A tmp >&2; exit $code");
  EXPECT_EQ(run.code, 12) << run.err;
  EXPECT_THAT(run.err, HasSubstr("cannot keep the log: "));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << "or a file is left:\n"
                                                                 << run.err;
  expect_nothing_left();
}

TEST_F(DamagedMachine, WithoutAHomeTheLogLiesWithTheTemporaryFiles) {
  Invocation homeless = autokernel({"-u", "HOME", "-u", "XDG_CACHE_HOME", AUTOKERNEL_PROGRAM});
  const std::vector<std::string> arguments = bench_arguments("syntax_error", {});
  homeless.arguments.insert(homeless.arguments.end(), arguments.begin(), arguments.end());
  homeless.program = "/usr/bin/env";
  const Outcome run = test::run(homeless);
  expect_rejection(run, 12, "does_not_compile");
  const std::string log = value_of("log", run.out);
  EXPECT_THAT(log, testing::StartsWith((scratch_.path() / "tmp").string()));
  EXPECT_THAT(contents(log), HasSubstr("error"));
  EXPECT_THAT(processes_still_marked(scratch_.path().string()), IsEmpty());
}

TEST_F(DamagedMachine, AHomeThatIsNotThereAndCannotBeMadeCostsTheLogAndNotTheVerdict) {
  Invocation homeless = autokernel(bench_arguments("syntax_error", {}));
  homeless.environment["HOME"] = homeless.environment["XDG_CACHE_HOME"] = "/dev/null/home";
  const Outcome run = test::run(homeless);
  EXPECT_EQ(run.code, 12);
  EXPECT_THAT(run.err, HasSubstr("cannot keep the log: "));
  expect_nothing_left();
}

// The runner's clock jumps as well: it is given the user's environment, as no product would do.
Invocation with_jumping_clock(Invocation invocation) {
  invocation.program = AUTOKERNEL_WITHOUT_DEFENCES;
  invocation.environment[kSwitch] = "fixed_environment";
  invocation.environment["LD_PRELOAD"] = AUTOKERNEL_JUMPING_CLOCK;
  invocation.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0";
  return invocation;
}

TEST_F(DamagedMachine, AClockThatJumpsChangesNoVerdictAndNoTime) {
  const Outcome run = test::run(with_jumping_clock(autokernel(bench_arguments("tiled", {}))));
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const double total = std::stod(value_of("total_seconds", run.out));
  EXPECT_GT(total, 0);
  EXPECT_LE(total, run.seconds);
  EXPECT_LT(std::stod(value_of("median_us", run.out)), 1e6 * run.seconds);
  expect_nothing_left();
}

TEST_F(DamagedMachine, AClockThatJumpsMovesNoDeadline) {
  const Outcome run =
      test::run(with_jumping_clock(autokernel(bench_arguments("never_ends", {"--timeout", "2"}))));
  expect_rejection(run, 13, "timed_out");
  EXPECT_GE(run.seconds, 2);
  EXPECT_LT(run.seconds, 8);
  expect_nothing_left();
}

TEST_F(DamagedMachine, TwoBenchesAtOnceDoNotDisturbEachOther) {
  RunningProgram first(autokernel(bench_arguments("tiled", {})));
  RunningProgram second(autokernel(bench_arguments("wrong_in_one_element", {})));
  const Outcome good = first.wait();
  Outcome bad = second.wait();
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  // It may have waited for the other so long that it says so.
  if (bad.err == "autokernel: waiting for the device\n") bad.err.clear();
  expect_rejection(bad, 11, "incorrect");
  expect_nothing_left();
}

}  // namespace
}  // namespace autokernel::test
