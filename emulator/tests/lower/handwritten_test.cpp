// What people write by hand and compilers do not: parameters in registers, sums as operands,
// vectors moved whole, variables of a function that outlive it.
#include <gtest/gtest.h>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

std::vector<std::uint32_t> counting() {
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t i = 0; i < 32; ++i) words[i] = 100 + i;
  return words;
}

// What `body` leaves in %r3.
std::vector<std::uint32_t> run(const std::string& body, const std::string& module_scope = "") {
  const Outcome outcome =
      run_kernel(kernel_of(body + " st.global.u32 [%rd1], %r3;", module_scope), counting(), 32);
  EXPECT_EQ(outcome.fault, "") << body;
  return outcome.words;
}

TEST(RegisterParameters, ComeAndGoInRegisters) {
  const auto got =
      run("call (%r4, %rd5), both, (%r1, 7); cvt.u32.u64 %r5, %rd5; sub.u32 %r3, %r4, %r5;",
          ".func (.reg .u32 sum, .reg .u64 product) both(.reg .u32 a, .reg .u32 b) {\n"
          "add.u32 sum, a, b; mul.wide.u32 product, a, b; ret; }\n");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], 107 + i - 7 * (100 + i)) << i;
}

// Each way out leaves what the register holds there, the end of the body too.
TEST(RegisterParameters, AreTakenBackAtEveryReturn) {
  const auto got = run("call (%r3), pick, (%r0);",
                       ".func (.reg .u32 x) pick(.reg .u32 lane) {\n.reg .pred p;\n"
                       "mov.u32 x, 1; setp.lt.u32 p, lane, 8; @p ret; mov.u32 x, 2;\n"
                       "setp.lt.u32 p, lane, 16; @p bra OUT; mov.u32 x, 3; ret; OUT: }\n");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], i < 8 ? 1U : i < 16 ? 2U : 3U) << i;
}

TEST(Operands, MayBeSumsOfARegisterAndAConstant) {
  const auto got = run(
      "add.u32 %r4, %r1+5, %r0+-1; setp.eq.u32 %p1, %r0+3, 7; selp.u32 %r3, %r4+-2, %r60+9, %p1;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], i == 4 ? 104 + 5 + 4 - 1 - 2U : 9U) << i;
}

TEST(VectorRegisters, AreMovedWholeAndNumbered) {
  const auto got =
      run(".reg .v4 .u32 v<2>; mov.v4.u32 v0, {%r1, %r0, 3, 4}; mov.v4.u32 v1, v0;"
          "mov.v2.u32 {%r4, %r5}, {%r1, %r0}; mov.v2.u32 {%r4, %r5}, {%r5, %r4};"
          "sub.u32 %r3, v1.x, v1.y; mad.lo.u32 %r3, v1.z, v1.w, %r3; sub.u32 %r5, %r5, %r4;"
          "add.u32 %r3, %r3, %r5;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], 100U + 12 + 100) << i;
}

TEST(FunctionVariables, InGlobalMemoryAreTheModules) {
  const auto got =
      run("{ .const .u32 c[2] = {5, 6}; ld.const.u32 %r4, [c+4]; }"
          "{ .global .u32 c[2] = {7, 8}; ld.global.u32 %r5, [c]; mov.u64 %rd5, c;"
          "ld.global.u32 %r6, [%rd5+4]; } add.u32 %r3, %r4, %r5; add.u32 %r3, %r3, %r6;");
  EXPECT_EQ(got[9], 6U + 7 + 8);
}

}  // namespace
}  // namespace emulator::testing
