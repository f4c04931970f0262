// Kernels that cheat are refused, and honest ones beside them are not: one test for each file, on
// the emulated device, with the keys that the operating system draws. AUTOKERNEL_TEST_FULL=1:
// twenty times each. What a file says of itself is described in kernel_file.h.
#include <gmock/gmock.h>

#include <cctype>
#include <cstdlib>

#include "adversarial/kernel_file.h"
#include "autokernel/base/landlock.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

[[nodiscard]] fs::path sources() { return AUTOKERNEL_SOURCES; }
[[nodiscard]] fs::path suite() { return sources() / "tests" / "adversarial"; }

[[nodiscard]] int repetitions() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing sets variables
  const char* full = std::getenv("AUTOKERNEL_TEST_FULL");
  return full != nullptr && std::string(full) == "1" ? 20 : 1;
}

[[nodiscard]] std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  return info.param.stem().string();
}

class Adversarial : public Workplace, public testing::WithParamInterface<fs::path> {
 protected:
  // Cases are copied, since logs are kept beside them.
  [[nodiscard]] Outcome bench(const KernelFile& kernel) const {
    const fs::path problem = scratch_.path() / "case";
    if (!fs::exists(problem)) fs::copy(sources() / kernel.problem, problem);
    std::vector<std::string> arguments = {
        "bench",  "--case",    problem.string(), "--kernel", kernel.file.string(),
        "--size", kernel.size, "--device",       "cpu"};
    if (!kernel.against.empty()) {
      arguments.insert(arguments.end(), {"--against", (sources() / kernel.against).string()});
    }
    arguments.insert(arguments.end(), kernel.arguments.begin(), kernel.arguments.end());
    return run_autokernel(arguments);
  }
};

TEST_P(Adversarial, GetsTheVerdictThatItMust) {
  const KernelFile kernel = read_kernel_file(GetParam());
  if (!kernel.gpu_only.empty()) GTEST_SKIP() << "only on a GPU: " << kernel.gpu_only;
  if (kernel.needs_landlock && !has_landlock()) GTEST_SKIP() << "this system has no Landlock";
  for (int i = 0; i < repetitions(); ++i) {
    const Outcome run = bench(kernel);
    ASSERT_THAT(exit_codes(kernel.verdict), Contains(run.code)) << run.out << run.err;
    const bool accepted =
        kernel.verdict == "correct" || kernel.verdict == "not faster" || kernel.verdict == "faster";
    ASSERT_EQ(value_of("correct", run.out), accepted ? "True" : "False") << run.out;
    ASSERT_THAT(run.out, HasSubstr(kernel.words));
  }
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Cheat, Adversarial, testing::ValuesIn(kernel_files(suite() / "kernels")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Honest, Adversarial, testing::ValuesIn(kernel_files(suite() / "honest")),
                         test_name);

}  // namespace
}  // namespace autokernel::test
