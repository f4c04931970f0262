// A user's folder: the default case in kernels/, and everything the program may write kept where it
// can be counted.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel::test {

class Workplace : public testing::Test {
 protected:
  Workplace();

  // `autokernel ...` in the workplace, whose temporary and cache folders lie in it.
  [[nodiscard]] Invocation autokernel(const std::vector<std::string>& arguments) const;
  [[nodiscard]] Outcome run_autokernel(const std::vector<std::string>& arguments) const {
    return test::run(autokernel(arguments));
  }
  // One bench of tests/data/kernels/<name>.cu on the emulated device at the small size.
  [[nodiscard]] Outcome bench(const std::string& name,
                              const std::vector<std::string>& more = {}) const;
  [[nodiscard]] std::vector<std::string> bench_arguments(
      const std::string& name, const std::vector<std::string>& more) const;

  // No process is left that was started here, no temporary file, and the case is as it was.
  void expect_nothing_left() const;
  // One line on standard error that says what is wrong, in these words among others, and nothing on
  // standard output.
  static void expect_refusal(const Outcome& run, int code, const std::string& words);
  // The block of a kernel that failed: its verdict, one reason, what to do next, no time.
  static void expect_rejection(const Outcome& run, int code, const std::string& verdict);
  // A correct kernel is found correct.
  void expect_next_bench_works() const;

  ScratchFolder scratch_;
};

// The value of a key in a block of "key: value" lines; empty where it has no line.
[[nodiscard]] std::string value_of(const std::string& key, const std::string& block);

}  // namespace autokernel::test
