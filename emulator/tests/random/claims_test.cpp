// What the lowering claims of registers, held against what they hold when the kernel runs, and
// kernels that count on the claims against the same kernels where they count for nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "random/comparison.h"
#include "random/generator.h"
#include "random/mixed_widths.h"
#include "support/full_test.h"
#include "support/kernel_run.h"

namespace emulator::testing::random {
namespace {

using jit::Compilation;
using lower::EngineChoice;
using ::testing::IsEmpty;
using ::testing::Not;

// AUTOKERNEL_TEST_FULL=1: at least a million claims, and of so many programs.
constexpr std::uint64_t kAllClaims = 1'000'000;
constexpr std::uint64_t kAllPrograms = 200;
constexpr std::uint64_t kPrograms = 6;

Outcome run(const MixedWidths& program, EngineChoice engine, Compilation compilation) {
  return run_kernel(program.ptx, program.input, program.output_words, program.launch, engine,
                    compilation);
}

struct Sum {
  std::uint64_t programs = 0;
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;

  void add(const Outcome& outcome) {
    ++programs;
    compared += outcome.claims_compared;
    wrong += outcome.claims_wrong;
  }
  void print(const char* of) const {
    std::printf("%s: %lu programs, %lu claims compared, %lu wrong\n", of, programs, compared,
                wrong);
  }
};

class Claims : public ::testing::TestWithParam<EngineChoice> {};
INSTANTIATE_TEST_SUITE_P(Engine, Claims,
                         ::testing::Values(EngineChoice::warps, EngineChoice::threads),
                         [](const auto& each) {
                           return each.param == EngineChoice::warps ? "Warps" : "Threads";
                         });

TEST_P(Claims, AreTrueOfRegistersThatAreNotAsWideAsTheirInstructions) {
  Sum sum;
  const bool all = everything_is_wanted();
  const std::uint64_t programs = all ? kAllPrograms : kPrograms;
  const std::uint64_t claims = all ? kAllClaims : 0;
  for (std::uint64_t seed = 0; seed < programs || sum.compared < claims; ++seed) {
    const MixedWidths program = mixed_widths(seed);
    const Outcome compared = run(program, GetParam(), Compilation::comparing);
    sum.add(compared);
    EXPECT_THAT(compared.wrong_claims, IsEmpty()) << "seed " << seed << "\n" << program.ptx;
    ASSERT_EQ(compared.fault, "") << "seed " << seed << "\n" << program.ptx;
    const Outcome counted_on = run(program, GetParam(), Compilation::automatic);
    ASSERT_EQ(counted_on.fault, "") << "seed " << seed << "\n" << program.ptx;
    if (program.repeatable) {
      ASSERT_EQ(counted_on.words, compared.words) << "seed " << seed << "\n" << program.ptx;
    }
    if (HasFatalFailure() || HasNonfatalFailure()) break;
  }
  sum.print("registers of other widths");
  EXPECT_EQ(sum.wrong, 0U);
}

TEST_P(Claims, AreTrueOfTheProgramsThatTheInterpreterRuns) {
  Sum sum;
  const std::uint64_t programs = everything_is_wanted() ? 400 : 12;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    const Program program = generate(seed);
    const std::vector<std::uint64_t> input = input_of(program);
    std::vector<std::uint32_t> words;
    for (const std::uint64_t number : input) {
      words.push_back(static_cast<std::uint32_t>(number));
      words.push_back(static_cast<std::uint32_t>(number >> 32U));
    }
    const Outcome outcome = run_kernel(
        ptx_of(program), words, std::size_t{program.threads()} * program.blocks * kOutputs * 2,
        launch_of(program), GetParam(), Compilation::comparing);
    sum.add(outcome);
    ASSERT_THAT(outcome.wrong_claims, IsEmpty()) << "seed " << seed << "\n" << ptx_of(program);
  }
  sum.print("programs with an interpreter");
  EXPECT_GT(sum.compared, 0U);
}

// What was wrong once, each by itself: what a kernel gets for the memory behind its window's end.
struct Directed {
  const char* name;
  const char* code;
};
class WrongOnce : public ::testing::TestWithParam<Directed> {};
constexpr Directed kDirected[] = {
    {"AMaskOfBit62",
     "ld.global.u64 %rd5, [%rd2]; and.b64 %rd10, %rd5, 1; shl.b64 %rd6, %rd10, 62; mov.u32 %r3, "
     "%laneid; cvt.u64.u32 %rd7, %r3; add.u64 %rd8, %rd6, %rd7; and.b64 %rd11, %rd8, "
     "0x4000000000000000; shr.u64 %rd9, %rd11, 46;"},
    {"ANarrowConversionToAWideRegister",
     "ld.global.u32 %r2, [%rd2]; cvt.u16.u32 %r3, %r2; add.u32 %r4, %r3, 32768; shr.u32 %r5, %r4, "
     "16; cvt.u64.u32 %rd9, %r5;"},
    {"AByteInAWideRegister",
     "ld.global.u32 %r2, [%rd2]; cvt.u8.u32 %r3, %r2; add.u32 %r4, %r3, 128; shr.u32 %r5, %r4, 8; "
     "cvt.u64.u32 %rd9, %r5;"},
    {"ASelectionBySign",
     "ld.global.u32 %r2, [%rd2]; cvt.u64.u32 %rd5, %r2; shl.b64 %rd6, %rd5, 33; slct.u64.s32 %rd7, "
     "%rd6, %rd6, %r2; add.u64 %rd8, %rd7, 2147483648; shr.u64 %rd9, %rd8, 32;"},
    {"AMinimumInAWideRegister",
     "ld.global.u32 %r2, [%rd2]; min.u32 %rd5, %r2, 0xffff0000; add.u64 %rd6, %rd5, 2147483648; "
     "shr.u64 %rd9, %rd6, 32;"},
    {"ACountInAWideRegister",
     "ld.global.u32 %r2, [%rd2]; sub.u32 %r2, %r2, %r2; bfind.u32 %rd5, %r2; add.u64 %rd6, %rd5, "
     "2147483648; shr.u64 %rd9, %rd6, 32;"},
    {"AnUnwrittenRegister",
     "ld.global.u32 %r2, [%rd2]; setp.eq.u32 %p1, %r2, 12345; @%p1 mov.u64 %rd9, 8;"},
    {"ARegisterThatNothingIsEverWrittenTo",
     "ld.global.u32 %r2, [%rd2]; setp.eq.u32 %p1, %r2, 12345; mov.u64 %rd9, %rd6; @%p1 mov.u64 "
     "%rd9, 8;"},
    {"ASumOfHalves",
     "ld.global.u32 %r2, [%rd2]; and.b32 %r2, %r2, 1; mov.u32 %r3, %laneid; add.u16x2 %r4, %r3, "
     "65535; add.u32 %r4, %r4, %r2; cvt.u64.u32 %rd9, %r4;"},
};
INSTANTIATE_TEST_SUITE_P(Claim, WrongOnce, ::testing::ValuesIn(kDirected),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(WrongOnce, IsTrueNow) {
  const std::string body = std::string(GetParam().code) + "st.global.u64 [%rd1], %rd9;";
  for (const std::uint32_t word : {0U, 1U, 5U, 128U, 40000U, 0x80000000U, 0xffffffffU}) {
    const std::vector<std::uint32_t> input(64, word);
    const Outcome outcome = run_kernel(
        kernel_of("mul.wide.u32 %rd1, %r0, 8; add.u64 %rd1, %rd1, %rd3;" + body), input, 128,
        {.grid = {1, 1, 1}, .block = {64, 1, 1}}, EngineChoice::warps, Compilation::comparing);
    EXPECT_THAT(outcome.wrong_claims, IsEmpty()) << word;
    EXPECT_GT(outcome.claims_compared, 0U);
  }
}

TEST(Claim, ThatIsWrongIsFound) {
  runtime::Claim claim{8, -3, 5, 1, 7, 9, {}};
  for (unsigned lane = 0; lane < runtime::kWarpSize; ++lane) claim.offset[lane] = lane;
  std::uint64_t lanes[runtime::kWarpSize];
  const auto hold = [&](std::int64_t scalar) {
    for (unsigned lane = 0; lane < runtime::kWarpSize; ++lane) {
      lanes[lane] = static_cast<std::uint8_t>(scalar + lane);
    }
  };
  hold(4);
  EXPECT_THAT(runtime::wrong_in(claim, lanes, ~0U), IsEmpty());
  lanes[17] += 1;
  EXPECT_THAT(runtime::wrong_in(claim, lanes, ~0U), ::testing::HasSubstr("lane 17"));
  EXPECT_THAT(runtime::wrong_in(claim, lanes, ~(1U << 17U)), IsEmpty());
  hold(3);
  EXPECT_THAT(runtime::wrong_in(claim, lanes, ~0U), ::testing::HasSubstr("trailing zeros"));
  hold(6);
  EXPECT_THAT(runtime::wrong_in(claim, lanes, ~0U), ::testing::HasSubstr("not within"));
  hold(-4);
  EXPECT_THAT(runtime::wrong_in(claim, lanes, ~0U), Not(IsEmpty()));
}

}  // namespace
}  // namespace emulator::testing::random
