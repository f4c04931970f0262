// The calls of the driver that a step makes fail, hang and crash in turn, on the emulated device:
// what the machine or the incumbent does is never held against the kernel, nor is it a gain, and
// the next step works. A spread of them; AUTOKERNEL_TEST_FULL=1 tries each call that a step makes,
// in its first use, in its middle one and in one of its last.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "e2e/loop_workplace.h"
#include "support/full_test.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSeconds = "6";  // for each phase, where something hangs

class LoopFaults : public LoopWorkplace {
 protected:
  // A program of its own, whose emulated driver is one that fails on demand.
  LoopFaults() {
    fs::create_directories(prefix() / "bin");
    fs::create_directories(prefix() / "lib");
    fs::copy_file(AUTOKERNEL_PROGRAM, prefix() / "bin" / "autokernel");
    fs::create_symlink(AUTOKERNEL_FAULTY_DRIVER, prefix() / "lib" / "libautokernel_cpu.so");
  }

  [[nodiscard]] Invocation faulty(const std::vector<std::string>& arguments) const {
    Invocation invocation = autokernel(arguments);
    invocation.program = prefix() / "bin" / "autokernel";
    return invocation;
  }
  // `fault` is "CALL:N:EFFECT", see support/faulty_driver; it passes. Empty: none.
  [[nodiscard]] Outcome run_with(const std::string& fault,
                                 const std::vector<std::string>& arguments,
                                 const std::string& process = "autokernel-lau") const {
    Invocation invocation = faulty(arguments);
    fs::remove(seen());
    invocation.environment["AUTOKERNEL_TEST_FAULT"] = fault.empty() ? "none:0:0" : fault;
    invocation.environment["AUTOKERNEL_TEST_FAULT_ONCE"] = seen().string();
    invocation.environment["AUTOKERNEL_TEST_FAULT_IN"] = process;
    return test::run(invocation);
  }
  void start_run() const {
    const Outcome run =
        run_with("", {"loop", "start", "demo", "--device", "cpu", "--size", "check"});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
  }
  [[nodiscard]] Outcome step_with(const std::string& fault, const std::string& source) const {
    edit(source);
    return run_with(fault, {"loop", "step", "-m", "an idea", "--timeout", kSeconds});
  }
  [[nodiscard]] bool was_seen() const { return !contents(seen()).empty(); }

  // It is the machine's: there was no experiment, and the edit stays.
  void expect_no_experiment(const Outcome& run, const std::string& words) const {
    EXPECT_TRUE(was_seen());
    EXPECT_EQ(run.code, 3) << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr(words));
    EXPECT_EQ(rows().size(), 1U);
    EXPECT_EQ(head(), experiment(0));
    EXPECT_EQ(kernel_now(), kernel(kFaster));
    expect_nothing_left();
  }
  // How often a step with a gain calls each function in that one of its processes which calls it
  // most often.
  [[nodiscard]] std::map<std::string, int> census() const {
    const fs::path file = repository_.beside("census");
    Invocation invocation = faulty({"loop", "step", "-m", "the census"});
    invocation.environment["AUTOKERNEL_TEST_CENSUS"] = file.string();
    edit(kernel_with(kFaster, "float sum", "float the_sum = 0, sum"));
    const Outcome run = test::run(invocation);
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    std::map<std::string, std::map<int, int>> by_process;
    std::istringstream lines(contents(file));
    int process = 0;
    for (std::string call; lines >> process >> call;) ++by_process[call][process];
    // A runner and its launcher each.
    EXPECT_GT(by_process["cuInit"].size(), 2U) << "a gain is confirmed in separate processes";
    std::map<std::string, int> uses;
    for (const auto& [call, processes] : by_process) {
      for (const auto& [id, count] : processes) uses[call] = std::max(uses[call], count);
    }
    return uses;
  }

 private:
  [[nodiscard]] fs::path prefix() const { return repository_.beside("installed"); }
  [[nodiscard]] fs::path seen() const { return repository_.beside("seen"); }
};

TEST_F(LoopFaults, WhileTheIncumbentRunsByItselfAreNoFaultOfTheKernel) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  start_run();
  // The first use of each is for the incumbent, before anything of the kernel's is loaded.
  expect_no_experiment(step_with("cuModuleLoadDataEx:1:999", kernel(kFaster)), "999)");
  expect_no_experiment(step_with("cuLaunchKernelEx:1:719", kernel(kFaster)),
                       "cannot compare with the baseline");
  expect_no_experiment(step_with("cuStreamSynchronize:1:crash", kernel(kFaster)),
                       "SIGSEGV while none of the kernel's code was loaded");
  expect_no_experiment(step_with("cuMemcpyDtoH_v2:1:hang", kernel(kFaster)),
                       "while none of the kernel's code was loaded");
  EXPECT_EQ(step_with("", kernel(kFaster)).code, 0);
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "keep an idea"));
}

TEST_F(LoopFaults, BesideTheIncumbentThatPassAreTriedOnceMore) {
  start_run();
  const int uses = census().at("cuLaunchKernelEx");
  EXPECT_EQ(run_with("", {"restore", "0"}).code, 0);
  const std::string middle = "cuLaunchKernelEx:" + std::to_string(uses / 2) + ":";
  const Outcome run = step_with(middle + "crash", kernel(kFastest));
  EXPECT_TRUE(was_seen());
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(entries("experiment").size(), 3U);
  EXPECT_EQ(entries("experiment").back().at("verdict"), "kept");
  expect_at(experiment(2));
}

// The incumbent's module is the first to be loaded, the kernel's the second.
TEST_F(LoopFaults, WithTheKernelLoadedAreItsCrash) {
  start_run();
  const Outcome run = step_with("cuModuleLoadDataEx:2:crash", kernel(kFaster));
  EXPECT_EQ(run.code, 14) << run.out << run.err;
  EXPECT_THAT(rows(), ElementsAre("keep baseline", "crash an idea"));
  expect_at(experiment(0));
  EXPECT_EQ(run_with("", {"restore", "1"}).code, 0);
  EXPECT_EQ(run_with("", {"loop", "step", "-m", "again", "--again"}).code, 0);
}

// The runner, in which none of the kernel's code ever is, computes what is right.
TEST_F(LoopFaults, WhileTheReferenceRunsAreNoFaultOfTheKernel) {
  start_run();
  edit(kernel(kFaster));
  for (const std::string fault : {"cuLaunchKernelEx:1:719", "cuModuleLoadDataEx:1:crash"}) {
    const Outcome run =
        run_with(fault, {"loop", "step", "-m", "an idea", "--timeout", kSeconds}, "autokernel-run");
    expect_no_experiment(run, "autokernel: ");
  }
}

// Of a kernel that is as fast as the incumbent, and no faster.
TEST_F(LoopFaults, OfEachCallAreNoGainAndLoseNothing) {
  if (!everything_is_wanted()) {
    GTEST_SKIP() << "the others stand for all; AUTOKERNEL_TEST_FULL=1 tries them";
  }
  start_run();
  const std::map<std::string, int> uses = census();
  const std::string best = head();
  int tried = 0;
  std::map<int, int> codes;
  for (const auto& [call, count] : uses) {
    for (const int use : std::set<int>{1, std::max(1, count / 2), std::max(1, count * 9 / 10)}) {
      for (const std::string effect : {"999", "crash", "hang"}) {
        if (effect == "hang" && use != std::max(1, count / 2)) continue;
        std::ostringstream fault;
        fault << call << ':' << use << ':' << effect;
        SCOPED_TRACE(fault.str());
        const std::string source = kernel_with(
            kFaster, "float sum", "const int edit = " + std::to_string(++tried) + "; float sum");
        const Outcome run = step_with(fault.str(), source);
        ++codes[run.code];
        ASSERT_THAT(run.code, AnyOf(3, 10, 13, 14, 16)) << run.out << run.err;
        ASSERT_EQ(head(), best);
        ASSERT_EQ(rows().size(), entries("experiment").size());
        ASSERT_EQ(kernel_now() == source, run.code == 3) << run.err;
        expect_nothing_left();
      }
    }
  }
  std::cout << tried << " faults of " << uses.size() << " calls;";
  for (const auto& [code, times] : codes) std::cout << " code " << code << ": " << times;
  std::cout << "\n";
  EXPECT_EQ(step_with("", kernel(kFastest)).code, 0);
}

TEST_F(LoopFaults, OfABaselineStartNoRun) {
  const std::vector<std::string> start = {"loop",   "start", "demo",      "--device", "cpu",
                                          "--size", "check", "--timeout", kSeconds};
  EXPECT_EQ(run_with("cuMemAlloc_v2:1:2", start).code, 3);
  EXPECT_EQ(run_with("cuStreamSynchronize:1:crash", start).code, 14);
  EXPECT_EQ(run_with("cuLaunchKernelEx:1:719", start).code, 14);
  EXPECT_EQ(repository_.line("symbolic-ref", "--short", "HEAD"), "main");
  EXPECT_FALSE(fs::exists(repository_.root() / "results.tsv"));
  start_run();
}

TEST_F(LoopFaults, OfAFinishConfirmNothingAndLoseNothing) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  start_run();
  EXPECT_EQ(step_with("", kernel(kFaster)).code, 0);
  const std::vector<std::string> finish = {"loop", "finish", "--processes", "2"};
  EXPECT_EQ(run_with("cuMemAlloc_v2:1:2", finish).code, 3);
  EXPECT_EQ(run_with("cuStreamSynchronize:1:crash", finish).code, 3);
  EXPECT_EQ(run_with("cuLaunchKernelEx:1:719", finish).code, 3);
  EXPECT_THAT(entries("run_finished"), IsEmpty());
  expect_nothing_left();
  EXPECT_EQ(run_with("", finish).code, 0);
}

}  // namespace
}  // namespace autokernel::test
