// Kernels compiled in parts: what goes from one part to another, and where kernels begin to be cut.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using jit::Compilation;

constexpr std::uint32_t kThreads = 32;

Outcome run_in_parts(const std::string& body) {
  return run_kernel(kernel_of(body), std::vector<std::uint32_t>(kThreads), kThreads, {},
                    lower::EngineChoice::warps, Compilation::parts);
}

std::string repeated(const std::string& text, unsigned times) {
  std::string all;
  for (unsigned i = 0; i < times; ++i) all += text;
  return all;
}

// Longer than several parts of a short kernel.
const std::string kMany = repeated("add.u32 %r2, %r2, 1;\n", 60);

TEST(Parts, ALoopGoesRoundThroughSeveral) {
  const Outcome outcome =
      run_in_parts("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\nL:\n" + kMany +
                   "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;\n"
                   "add.u32 %r2, %r2, %r1; st.global.u32 [%rd1], %r2;");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(outcome.words[t], 300 + t);
}

// Each lane goes round as often as its number says, and waits for the others elsewhere.
TEST(Parts, LanesWaitInOneWhileOthersRunAnother) {
  const Outcome outcome = run_in_parts(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\nL:\n"
      "setp.ge.u32 %p1, %r3, %r1; @%p1 bra M;\n" +
      kMany + "add.u32 %r3, %r3, 1; bra L;\nM:\n" + kMany + "st.global.u32 [%rd1], %r2;");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(outcome.words[t], 60 * t + 60);
}

TEST(Parts, OneThatNothingReachesIsLeftOut) {
  const Outcome outcome = run_in_parts("trap;\n" + kMany + "st.global.u32 [%rd1], %r2;");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::trap);
}

TEST(Parts, CarriesGoFromOneToTheNext) {
  std::string body = "mov.u32 %r2, -1; mov.u32 %r3, %tid.x; add.cc.u32 %r2, %r2, %r3;\n";
  for (unsigned i = 0; i < 60; ++i) body += "mov.u32 %r4, %r3; xor.b32 %r4, %r4, %r2;\n";
  const Outcome outcome = run_in_parts(body + "addc.u32 %r5, 0, 0; st.global.u32 [%rd1], %r5;");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(outcome.words[t], t == 0 ? 0U : 1U);
}

// A load whose lanes may be anywhere calls a function, which must leave alone what its caller has
// in registers: where the frame is, and which lanes run.
class LoadsOfPredicatedLanes : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Parts, LoadsOfPredicatedLanes,
                         ::testing::Values("ld.local.u8 %rd8, [%rd6];",
                                           "ld.local.u16 %rd8, [%rd6];",
                                           "ld.local.u32 %rd8, [%rd6];",
                                           "ld.local.u64 %rd8, [%rd6];",
                                           "ld.local.b128 %q, [%rd6];"));

TEST_P(LoadsOfPredicatedLanes, LeaveTheOthersAsTheyAre) {
  const Outcome outcome = run_in_parts(
      ".local .align 16 .b8 array[64]; .reg .b128 %q; mov.u64 %rd5, array; mov.u32 %r2, 0;\n"
      "st.local.v4.b32 [%rd5], {%r2, %r2, %r2, %r2};\n"
      "and.b32 %r3, %r1, 48; cvt.u64.u32 %rd6, %r3; add.u64 %rd6, %rd6, %rd5;\n"
      "cvt.u64.u32 %rd8, %r0; mov.b128 %q, {%rd8, %rd8};\n"
      "and.b32 %r4, %r0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 " +
      std::string(GetParam()) +
      "\nmov.b128 {%rd9, %rd10}, %q; min.u64 %rd8, %rd8, %rd9; st.global.u32 [%rd1], %rd8;");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(outcome.words[t], t % 2 == 1 ? 0 : t);
}

// Of a kernel of so many additions and few other instructions.
class LongKernels : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(OnBothSides, LongKernels,
                         ::testing::Values(lower::kLongKernel - 50, lower::kLongKernel + 50,
                                           3 * lower::kLongKernel));

TEST_P(LongKernels, GiveTheSameWhole) {
  const std::string ptx = kernel_of("mov.u32 %r1, %tid.x; mov.u32 %r2, %r1;\n" +
                                    repeated("mad.lo.u32 %r2, %r2, 3, %r1;\n", GetParam()) +
                                    "st.global.u32 [%rd1], %r2;");
  const auto run = [&](Compilation compilation) {
    return run_kernel(ptx, std::vector<std::uint32_t>(kThreads), kThreads, {},
                      lower::EngineChoice::warps, compilation)
        .words;
  };
  std::vector<std::uint32_t> expected;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    std::uint32_t value = t;
    for (unsigned i = 0; i < GetParam(); ++i) value = value * 3 + t;
    expected.push_back(value);
  }
  EXPECT_EQ(run(Compilation::automatic), expected);
  EXPECT_EQ(run(Compilation::whole), expected);
}

}  // namespace
}  // namespace emulator::testing
