// What keeps a kernel within its memory where what is known of its registers does not: accesses
// that are claimed to be inside are compared all the same, and what is kept for registers and
// arguments is as large as what is written there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "lower/kernel.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWindow = ".shared .align 16 .b8 window[1024];\n";

// Into %rd5: a multiple of four within the first 128 bytes of the window.
constexpr const char* kPlace =
    "mul.wide.u32 %rd6, %r62, 4; mov.u64 %rd7, window; add.u64 %rd5, %rd6, %rd7;";

std::string code_of(const std::string& body) {
  const ptx::Module module = ptx::parse(kernel_of(body, kWindow));
  const lower::LaunchShape shape{{32, 1, 1}, {1, 1, 1}, 0};
  std::string all;
  for (const std::string& text :
       lower::lower_kernel(module, module.functions.at(0), shape, {}, "k").modules) {
    all += text;
  }
  return all;
}

TEST(Window, AnAccessThatRangesClaimToBeInsideIsCompared) {
  for (const std::string access :
       {"st.shared.u32 [%rd5], %r0;", "ld.shared.u32 %r5, [%rd5];", "st.shared.u32 [%rd5], 7;"}) {
    EXPECT_THAT(code_of(kPlace + access), HasSubstr("call void @emu_outside")) << access;
  }
}

TEST(Window, AnAccessThatTheLayoutPutsInsideIsNot) {
  EXPECT_THAT(code_of("st.shared.u32 [window+1020], 7;"), Not(HasSubstr("call void @emu_outside")));
}

TEST(Window, NeighboursAreComparedTogether) {
  const std::string code = code_of(std::string(kPlace) +
                                   "ld.shared.u32 %r5, [%rd5]; ld.shared.u32 %r6, [%rd5+128];"
                                   "ld.shared.u32 %r7, [%rd5+256];");
  const std::size_t first = code.find("call void @emu_outside");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(code.find("call void @emu_outside", first + 1), std::string::npos);
}

TEST(Window, LanesAllAroundTheAddressSpaceAreTakenOneByOne) {
  // Lane 1 is 2^63 below lane 0, lane 2 nearly as far above: the span wraps around.
  const Outcome outcome = run_kernel(
      kernel_of("cvt.u64.u32 %rd5, %r62; and.b64 %rd6, %rd5, 1; mul.lo.u64 %rd7, %rd6, "
                "0x4000000000000000; add.u64 %rd8, %rd7, %rd7; and.b64 %rd9, %rd5, 2; mul.lo.u64 "
                "%rd10, %rd9, 0x3ffffffffffffffc; add.u64 %rd11, %rd8, %rd10; add.u64 %rd12, "
                "%rd11, %rd2; ld.global.u64 %rd13, [%rd12]; st.global.u32 [%rd1], %rd13;"),
      std::vector<std::uint32_t>(64, 1), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault, HasSubstr("thread (1,0,0)"));
}

TEST(Window, AnOffsetOf64BitsFromAParameterIsRefused) {
  for (const std::string offset : {"0x7fffffffffffffff", "0x7ffffffffffffff8", "16", "-8"}) {
    EXPECT_THROW(code_of("ld.param.u64 %rd5, [k_in+" + offset + "];"), ptx::Error) << offset;
  }
}

TEST(Window, AnArgumentThatIsReadInOtherPiecesThanWrittenIsRefused) {
  for (const std::string load :
       {"ld.param.b64 %rd5, [p];", "ld.param.b16 %h1, [p+1];", "ld.param.b64 %rd5, [p+4];"}) {
    EXPECT_THROW(
        code_of("{.param .b64 p; st.param.b8 [p], %r0; st.param.b8 [p+1], %r0; " + load + "}"),
        ptx::Error)
        << load;
  }
}

TEST(Window, APieceBeyondAnArgumentIsRefused) {
  EXPECT_THROW(code_of("{.param .b32 p; st.param.b64 [p], %rd0;}"), ptx::Error);
  EXPECT_THROW(code_of("{.param .b32 p; st.param.b32 [p+4], %r0;}"), ptx::Error);
}

// A frame of some megabytes would reach across the guard below a stack of a fiber.
TEST(Window, AKernelOfTooManyRegistersDoesNotLeaveItsStackUnseen) {
  EXPECT_THAT(code_of("add.u32 %r2, %r0, 1;"), HasSubstr("\"probe-stack\"=\"inline-asm\""));
}

}  // namespace
}  // namespace emulator::testing
