// Kernels that cheat are refused, and honest ones beside them are not: one test for each file, on
// the emulated device, with the keys that the operating system draws. AUTOKERNEL_TEST_FULL=1:
// twenty times each. What a file says of itself is described in kernel_file.h.
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <set>
#include <thread>

#include "adversarial/kernel_file.h"
#include "adversarial/switched_defences.h"
#include "autokernel/base/landlock.h"
#include "e2e/workplace.h"
#include "support/census.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

[[nodiscard]] fs::path sources() { return AUTOKERNEL_SOURCES; }

[[nodiscard]] std::vector<fs::path> cheats() {
  return kernel_files(sources() / "tests" / "adversarial" / "kernels");
}
[[nodiscard]] std::vector<fs::path> honest() {
  return kernel_files(sources() / "tests" / "adversarial" / "honest");
}

class Kernels : public Workplace {
 protected:
  // Cases are copied, since logs are kept beside them.
  [[nodiscard]] Invocation bench(const KernelFile& kernel) const {
    const fs::path problem = scratch_.path() / "case";
    if (!fs::exists(problem)) fs::copy(sources() / kernel.problem, problem);
    std::vector<std::string> arguments = {
        "bench",  "--case",    problem.string(), "--kernel", kernel.source.string(),
        "--size", kernel.size, "--device",       "cpu"};
    if (!kernel.against.empty()) {
      arguments.insert(arguments.end(), {"--against", (sources() / kernel.against).string()});
    }
    arguments.insert(arguments.end(), kernel.arguments.begin(), kernel.arguments.end());
    return autokernel(arguments);
  }

  // The same with a program in which these defences do not stand.
  [[nodiscard]] Outcome bench_without(const KernelFile& kernel,
                                      const std::vector<std::string>& defences) const {
    Invocation invocation = bench(kernel);
    invocation.program = AUTOKERNEL_WITHOUT_DEFENCES;
    invocation.environment[kSwitch] = fmt::format("{}", fmt::join(defences, ","));
    return test::run(invocation);
  }

  static void expect_verdict(const Outcome& run, const std::string& verdict) {
    EXPECT_THAT(exit_codes(verdict), Contains(run.code)) << run.out << run.err;
    const bool right = verdict == "correct" || verdict == "not faster" || verdict == "faster";
    EXPECT_EQ(value_of("correct", run.out), right ? "True" : "False") << run.out;
  }
};

class Adversarial : public Kernels, public testing::WithParamInterface<fs::path> {};

TEST_P(Adversarial, GetsTheExpectedVerdict) {
  const KernelFile kernel = read_kernel_file(GetParam());
  if (!kernel.gpu_only.empty()) GTEST_SKIP() << "only on a GPU: " << kernel.gpu_only;
  if (kernel.needs_landlock && !has_landlock()) GTEST_SKIP() << "this system has no Landlock";
  const int repetitions = everything_is_wanted() ? 20 : 1;
  for (int i = 0; i < repetitions && !HasFailure(); ++i) {
    const Outcome run = test::run(bench(kernel));
    expect_verdict(run, kernel.verdict);
    EXPECT_THAT(run.out, HasSubstr(kernel.words));
  }
  expect_nothing_left();
}

[[nodiscard]] std::string name_of_file(const testing::TestParamInfo<fs::path>& info) {
  return info.param.stem().string();
}
INSTANTIATE_TEST_SUITE_P(Cheat, Adversarial, testing::ValuesIn(cheats()), name_of_file);
INSTANTIATE_TEST_SUITE_P(Honest, Adversarial, testing::ValuesIn(honest()), name_of_file);

// One line "without ...: ..." of a file.
struct Mutation {
  KernelFile kernel;
  KernelFile::Without without;
};
void PrintTo(const Mutation& mutation, std::ostream* out) { *out << mutation.kernel.file.stem(); }

[[nodiscard]] std::vector<Mutation> mutations(std::size_t fewest_defences = 1) {
  std::vector<Mutation> all;
  for (const auto& files : {cheats(), honest()}) {
    for (const fs::path& file : files) {
      const KernelFile kernel = read_kernel_file(file);
      for (const KernelFile::Without& without : kernel.without) {
        if (without.defences.size() >= fewest_defences) all.push_back({kernel, without});
      }
    }
  }
  return all;
}

class Defence : public Kernels, public testing::WithParamInterface<Mutation> {};

// What a sanitizer adds to each access says nothing about which of two kernels is faster.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kTimesMeanSomething = false;
#else
constexpr bool kTimesMeanSomething = true;
#endif

// Such noise leaves the sign, by the whole of the interval: without the defence it is the wrong
// one.
[[nodiscard]] bool looks_faster(const Outcome& run, const KernelFile::Without& without) {
  const std::string low = value_of("gain_low_pct", run.out);
  return without.verdict == "faster" && !low.empty() && std::stod(low) > 0;
}

// A cheat that has to win a comparison takes up to half a minute and a quiet machine, and one that
// only takes its time does so. Quicker ones show what most defences are for.
bool takes_long(const Mutation& mutation) {
  return mutation.without.verdict == "faster" || mutation.without.defences.front() == "deadlines";
}

// A cheat gets through without it, or an honest kernel does not: each defence carries weight.
TEST_P(Defence, IsNeeded) {
  const auto& [kernel, without] = GetParam();
  if (kernel.needs_landlock && !has_landlock()) GTEST_SKIP() << "this system has no Landlock";
  if (without.verdict == "faster" && !kTimesMeanSomething) GTEST_SKIP() << "times of a sanitizer";
  if (takes_long(GetParam()) && !everything_is_wanted()) {
    GTEST_SKIP() << "it takes long; AUTOKERNEL_TEST_FULL=1 runs it";
  }
  Outcome run;
  // On a busy machine a gain may be lost in noise. A cheat that gets through once is through.
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    run = bench_without(kernel, without.defences);
    if (run.code == exit_codes(without.verdict).front() || looks_faster(run, without)) return;
  }
  expect_verdict(run, without.verdict);
}

// Where several are named, each stands in when the others fall.
class OneOfSeveral : public Defence {};
TEST_P(OneOfSeveral, IsEnough) {
  if (!everything_is_wanted()) GTEST_SKIP() << "half a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  const auto& [kernel, without] = GetParam();
  for (const std::string& standing : without.defences) {
    std::vector<std::string> others = without.defences;
    std::erase(others, standing);
    SCOPED_TRACE(standing);
    expect_verdict(bench_without(kernel, others), kernel.verdict);
  }
}

[[nodiscard]] std::string name_of_kernel(const testing::TestParamInfo<Mutation>& info) {
  return info.param.kernel.file.stem().string();
}
INSTANTIATE_TEST_SUITE_P(Each, Defence, testing::ValuesIn(mutations()), name_of_kernel);
INSTANTIATE_TEST_SUITE_P(Each, OneOfSeveral, testing::ValuesIn(mutations(2)), name_of_kernel);

TEST(Defences, EachHasAKernelThatGetsThroughWithoutIt) {
  std::set<std::string> shown;
  for (const auto& [kernel, without] : mutations()) {
    shown.insert(without.defences.begin(), without.defences.end());
  }
  shown.insert("sandbox");            // Unconfined.*
  shown.insert("fixed_environment");  // against no kernel: environment_test.cpp
  for (const std::string& name : names_of_defences()) {
    EXPECT_THAT(shown, Contains(name)) << "no kernel says what it gets without it";
  }
}

// What no kernel can show as long as there is no other hole.
class Unconfined : public Kernels {
 protected:
  // Of the process in which a kernel that never ends is checked.
  [[nodiscard]] std::string launchers_status(const std::string& without) const {
    const KernelFile kernel =
        read_kernel_file(sources() / "tests" / "adversarial" / "kernels" / "13_never_ends.cu");
    Invocation invocation = bench(kernel);
    invocation.program = AUTOKERNEL_WITHOUT_DEFENCES;
    invocation.environment[kSwitch] = without;
    invocation.arguments.emplace_back("--verbose");
    RunningProgram program(invocation);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (program.err_so_far().find("entered phase check") == std::string::npos &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    const pid_t launcher = process_named("autokernel-lau", scratch_.path().string());
    std::string status = contents(fs::path("/proc") / std::to_string(launcher) / "status");
    program.send(SIGKILL);
    static_cast<void>(program.wait(std::chrono::seconds{20}));
    return status;
  }
};

TEST_F(Unconfined, IsTheLauncherWithoutTheSandbox) {
  EXPECT_THAT(launchers_status("sandbox"), HasSubstr("Seccomp:\t0"));
  EXPECT_THAT(launchers_status("deadlines"), HasSubstr("Seccomp:\t2"));
}

TEST(Defences, CannotBeSwitchedOffInTheProgramThatIsShipped) {
  EXPECT_THAT(contents(AUTOKERNEL_WITHOUT_DEFENCES), HasSubstr(kSwitch))
      << "else this proves nothing";
  EXPECT_THAT(contents(AUTOKERNEL_PROGRAM), Not(HasSubstr(kSwitch)));
}

TEST(Rows, OneToNineHaveThreeKernelsEachAndAllThatAKernelCanBeHaveOne) {
  std::vector<int> kernels(27);
  for (const fs::path& file : cheats())
    ++kernels.at(static_cast<std::size_t>(read_kernel_file(file).row));
  // Rows 18 to 20, 23 to 25 and from 27 on are no kernels, but what an agent does to files and git:
  // tests/loop, tests/e2e.
  for (std::size_t row = 1; row < kernels.size(); ++row) {
    if ((row >= 18 && row < 21) || (row >= 23 && row < 26)) continue;
    EXPECT_GE(kernels[row], row < 10 ? 3 : 1) << "row " << row;
  }
}

TEST(Rows, HaveTwentyHonestKernelsBesideThem) { EXPECT_GE(honest().size(), 20U); }

}  // namespace
}  // namespace autokernel::test
