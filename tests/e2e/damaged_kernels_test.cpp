// Files that are no kernels, given as one.
#include <gmock/gmock.h>

#include <cstdint>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Ten megabytes take the compiler a minute on a busy machine.
[[nodiscard]] std::size_t noise_bytes() { return (everything_is_wanted() ? 10U : 1U) << 20U; }

// The same noise in each run, of the characters from `first` to `last`.
std::string noise(unsigned char first, unsigned char last) {
  std::string bytes(noise_bytes(), '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(first + (state >> 16U) % (last - first + 1U));
  }
  return bytes;
}

constexpr const char* kTemplateBomb = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {1}, .block = {32}});
template <int DEPTH, int WHICH>
struct Bomb {
  static constexpr int value = Bomb<DEPTH - 1, 2 * WHICH>::value + Bomb<DEPTH - 1, 2 * WHICH + 1>::value;
};
template <int WHICH>
struct Bomb<0, WHICH> {
  static constexpr int value = 1;
};
extern "C" __global__ void matmul(const void*, const void*, int* c) { *c = Bomb<28, 0>::value; }
)";

class DamagedKernels : public Workplace {
 protected:
  [[nodiscard]] Outcome bench_of(const std::string& text,
                                 const std::vector<std::string>& more = {}) const {
    const auto file = scratch_.write("tries/try.cu", text);
    std::vector<std::string> arguments = {"bench", "--kernel", file.string(), "--device",
                                          "cpu",   "--size",   "check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_autokernel(arguments);
  }
  void expect_no_kernel(const Outcome& run, const std::string& words) const {
    expect_rejection(run, 12, "does_not_compile");
    EXPECT_THAT(value_of("reason", run.out), HasSubstr(words));
    expect_nothing_left();
    expect_next_bench_works();
  }
};

TEST_F(DamagedKernels, OneThatIsNotThereIsAMistakeOfUsage) {
  expect_refusal(run_autokernel({"bench", "--kernel", "tries/none.cu", "--device", "cpu"}), 2,
                 "cannot read the kernel");
  std::filesystem::remove(scratch_.path() / "kernels" / "kernel.cu");
  expect_refusal(run_autokernel({"bench", "--device", "cpu"}), 2,
                 "kernels/kernel.cu: No such file");
}

TEST_F(DamagedKernels, AnEmptyOneIsToldHowToDeclareItsLaunch) {
  expect_no_kernel(bench_of(""), "AUTOKERNEL_LAUNCH({.kernel = \"NAME\"");
}

TEST_F(DamagedKernels, MegabytesOfAnyBytesDoNotCompile) {
  expect_no_kernel(bench_of(noise(0, 255)), "try.cu:1: it holds a zero byte");
}

TEST_F(DamagedKernels, MegabytesOfTextDoNotCompileAndLittleOfThemIsShown) {
  std::string text = noise(' ', '~');
  for (std::size_t i = 0; i < text.size(); i += 100) text[i] = '\n';
  const Outcome run = bench_of(text);
  expect_no_kernel(run, "try.cu:2: error");
  EXPECT_LT(run.out.size(), 2000U);
}

TEST_F(DamagedKernels, BytesThatSteerATerminalAreNotShown) {
  const Outcome run = bench_of(noise(1, 255));
  expect_no_kernel(run, "try.cu:");
  EXPECT_THAT(run.out, Not(testing::ContainsRegex("[\033\r\b]")));
}

TEST_F(DamagedKernels, TemplatesWithoutEndAreStoppedByTheDeadline) {
  const Outcome run = bench_of(kTemplateBomb, {"--timeout", "2"});
  expect_rejection(run, 13, "timed_out");
  EXPECT_THAT(value_of("reason", run.out), AllOf(HasSubstr("compiling"), HasSubstr("2 s")));
  EXPECT_LT(run.seconds, 60);  // on a machine that does other things as well; it would take hours
  expect_nothing_left();
  expect_next_bench_works();
}

TEST_F(DamagedKernels, WhatAnIncludedFileHoldsIsNotShown) {
  const auto secret = scratch_.write("secret.txt", "hunter2 opens everything\n");
  const Outcome run = bench_of("#include \"" + secret.string() + "\"\n");
  expect_no_kernel(run, "try.cu:");
  EXPECT_THAT(run.out + run.err, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace autokernel::test
