// A user's repository with the elementwise case in it, made slow on purpose, and the loop's
// commands run there. Kernels differ in time by four times or more, so that a busy machine blurs no
// verdict.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "e2e/workplace.h"
#include "support/program.h"
#include "support/scratch_repository.h"

namespace autokernel::test {

// How often a kernel reads its inputs and adds them before it writes the sum: its time, about a
// millisecond, a hundred microseconds and the time of a launch by itself on the emulated device.
inline constexpr int kSlow = 30000;
inline constexpr int kFaster = 3000;
inline constexpr int kFastest = 30;

// The source of a kernel that computes z = 2x + y so often.
[[nodiscard]] std::string kernel(int rounds);
// The same with a piece of its text replaced, which must be in it.
[[nodiscard]] std::string kernel_with(int rounds, const std::string& piece,
                                      const std::string& replacement);
[[nodiscard]] std::string wrong_kernel();
[[nodiscard]] std::string kernel_that_does_not_compile();
[[nodiscard]] std::string endless_kernel();

// Waits until `done` says so, a minute at most; the test fails where it does not.
void wait_for(const std::function<bool()>& done);

class LoopWorkplace : public testing::Test {
 protected:
  static constexpr const char* kKernel = "kernels/kernel.cu";

  LoopWorkplace();

  // `autokernel ...` in the repository, or another folder; what it writes stays in the scratch
  // folder.
  [[nodiscard]] Invocation autokernel(const std::vector<std::string>& arguments) const;
  [[nodiscard]] Invocation autokernel_in(const std::filesystem::path& folder,
                                         const std::vector<std::string>& arguments) const;
  [[nodiscard]] Outcome run_autokernel(const std::vector<std::string>& arguments) const {
    return test::run(autokernel(arguments));
  }
  [[nodiscard]] Outcome run_in(const std::filesystem::path& folder,
                               const std::vector<std::string>& arguments) const {
    return test::run(autokernel_in(folder, arguments));
  }
  // `loop start demo` at the small size, which must succeed.
  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests only want the run to be there
  Outcome start(const std::vector<std::string>& more = {}) const;
  // Writes the kernel and steps.
  [[nodiscard]] Outcome step(const std::string& source, const std::string& idea,
                             const std::vector<std::string>& more = {}) const;
  void edit(const std::string& source) const { repository_.write(kKernel, source); }

  [[nodiscard]] std::string kernel_now() const { return repository_.read(kKernel); }
  [[nodiscard]] std::string head() const { return repository_.line("rev-parse", "HEAD"); }
  // The commit of an experiment of the run demo, from its reference.
  [[nodiscard]] std::string experiment(int number) const;
  // "status description" of each row of results.tsv, its header left out.
  [[nodiscard]] std::vector<std::string> rows() const;
  // Each entry of a kind in the ledger.
  [[nodiscard]] std::vector<nlohmann::json> entries(const std::string& kind) const;
  // No process of ours runs any more, and nothing is half done.
  void expect_nothing_under_way() const;
  // The same, and no temporary file is left.
  void expect_nothing_left() const;
  // The branch is at `commit`, and the kernel is what it holds; nothing else differs from it.
  void expect_at(const std::string& commit) const;

  ScratchRepository repository_;
};

}  // namespace autokernel::test
