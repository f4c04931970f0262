// Accesses that are checked together, and lanes that lie far apart: what is loaded, and which fault
// is found.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> words(count);
  std::iota(words.begin(), words.end(), 1000U);
  return words;
}

std::uint32_t line_of(const std::string& ptx, const std::string& statement) {
  return static_cast<std::uint32_t>(
      1 + std::count(ptx.begin(), ptx.begin() + static_cast<std::ptrdiff_t>(ptx.find(statement)),
                     '\n'));
}

TEST(CheckedTogether, LoadsAtConstantDistancesGiveEachItsOwn) {
  const auto input = counting(256);
  const Outcome outcome =
      run_kernel(kernel_of("ld.global.u32 %r2, [%rd0+256]; ld.global.u32 %r3, [%rd0+128];\n"
                           "ld.global.u32 %r4, [%rd2+12]; ld.global.v2.u32 {%r5, %r6}, [%rd2+16];\n"
                           "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;\n"
                           "sub.u32 %r2, %r2, %r6; st.global.u32 [%rd1], %r2;"),
                 input, 32);
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(outcome.words[t], input[t + 64] + input[t + 32] + input[3] + input[4] - input[5]);
  }
}

TEST(CheckedTogether, TheFirstInTheTextThatIsOutOfBoundsIsNamed) {
  const std::string ptx = kernel_of(
      "ld.global.u32 %r2, [%rd0+4];\nld.global.u32 %r3, [%rd0+1024];\n"
      "ld.global.u32 %r4, [%rd0+65536];\nadd.u32 %r2, %r2, %r3;\nst.global.u32 [%rd1], %r2;");
  const Outcome outcome = run_kernel(ptx, counting(64), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault,
              HasSubstr("PTX line " + std::to_string(line_of(ptx, "ld.global.u32 %r3"))));
}

TEST(CheckedTogether, OneLaneBeyondTheEndIsNamed) {
  // 64 words; lane 31 of the second load reads the 65th.
  const Outcome outcome =
      run_kernel(kernel_of("ld.global.u32 %r2, [%rd0+4]; ld.global.u32 %r3, [%rd0+132];\n"
                           "add.u32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2;"),
                 counting(64), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault, AllOf(HasSubstr("thread (31,0,0)"), HasSubstr("[%rd0+132]")));
}

TEST(CheckedTogether, AMisalignedOneAmongThemIsAFault) {
  const Outcome outcome =
      run_kernel(kernel_of("ld.global.u32 %r2, [%rd2+4]; ld.global.v2.u32 {%r3, %r4}, [%rd2+12];\n"
                           "add.u32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2;"),
                 counting(64), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::misaligned);
  EXPECT_THAT(outcome.fault, HasSubstr("[%rd2+12]"));
}

TEST(CheckedTogether, ARegisterThatChangesInBetweenIsAnotherAddress) {
  const auto input = counting(128);
  const Outcome outcome =
      run_kernel(kernel_of("ld.global.u32 %r2, [%rd2]; add.s64 %rd2, %rd2, 64;\n"
                           "ld.global.u32 %r3, [%rd2+4]; ld.global.u64 %rd2, [%rd2];\n"
                           "sub.u32 %r2, %r3, %r2; st.global.u32 [%rd1], %r2;"),
                 input, 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[7], 17U);
}

TEST(CheckedTogether, LanesThatDoNotRunMayPointAnywhere) {
  // Lanes from 16 on would read far behind the input.
  const auto input = counting(64);
  const Outcome outcome =
      run_kernel(kernel_of("mul.wide.u32 %rd5, %r0, 16; add.s64 %rd6, %rd2, %rd5; mov.u32 %r3, 0;\n"
                           "setp.ge.u32 %p1, %r0, 15; @%p1 bra DONE;\n"
                           "ld.global.u32 %r2, [%rd6]; ld.global.u32 %r3, [%rd6+16];\n"
                           "add.u32 %r3, %r3, %r2; DONE: st.global.u32 [%rd1], %r3;"),
                 input, 32);
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(outcome.words[t],
              t < 15 ? input[std::size_t{4} * t] + input[std::size_t{4} * t + 4] : 0);
}

TEST(CheckedTogether, NothingBehindABarrierIsCheckedBeforeIt) {
  const Outcome outcome =
      run_kernel(kernel_of("ld.global.u32 %r2, [%rd2]; trap;\nld.global.u32 %r3, [%rd2+65536];\n"
                           "add.u32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2;"),
                 counting(64), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::trap);
}

// The end of such an access wraps around to a small number.
TEST(Access, RightBelowTheTopOfTheAddressSpaceIsOutOfBounds) {
  for (const std::string load : {"ld.global.u32 %r2, [%rd5]", "ld.global.u32 %r2, [%rd6]"}) {
    const Outcome outcome =
        run_kernel(kernel_of("mov.u64 %rd5, -4; sub.u64 %rd7, %rd0, %rd2; add.u64 %rd6, %rd5, "
                             "%rd7; " +
                             load + "; st.global.u32 [%rd1], %r2;"),
                   counting(64), 32);
    EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds) << load;
    EXPECT_THAT(outcome.fault, HasSubstr("0xfffffffffffffffc"));
  }
}

struct FarApart {
  const char* name;
  const char* load;     // from [%rd6] into %r2 to %r5
  std::uint32_t bytes;  // between lanes
  std::size_t element;  // bytes of what is loaded
  bool is_signed = false;
  unsigned elements = 1;
};

class LanesFarApart : public ::testing::TestWithParam<FarApart> {};

TEST_P(LanesFarApart, LoadEachItsOwn) {
  const FarApart& far = GetParam();
  const std::size_t stride = far.bytes;
  std::vector<std::uint32_t> input(32 * stride / 4 + 64);
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = static_cast<std::uint32_t>(i) * 2654435761U;
  for (const bool shared : {false, true}) {
    if (shared && input.size() * 4 > 32768) continue;
    std::string body = "mul.wide.u32 %rd5, %r0, " + std::to_string(stride) + ";\n";
    std::string load = far.load;
    if (shared) {
      const std::string words = std::to_string(input.size());
      body +=
          ".shared .align 16 .b8 tile[32768];\nmov.u32 %r10, %r0;\nCOPY: setp.ge.u32 %p1, %r10, " +
          words +
          "; @%p1 bra COPIED;\nmul.wide.u32 %rd7, %r10, 4; add.s64 %rd8, %rd2, %rd7;\n"
          "ld.global.u32 %r11, [%rd8]; mov.u64 %rd9, tile; add.s64 %rd9, %rd9, %rd7;\n"
          "st.shared.u32 [%rd9], %r11; add.u32 %r10, %r10, 32; bra COPY;\nCOPIED: bar.sync 0;\n"
          "mov.u64 %rd9, tile; add.s64 %rd6, %rd9, %rd5;\n";
      load.replace(load.find("global"), 6, "shared");
    } else {
      body += "add.s64 %rd6, %rd2, %rd5;\n";
    }
    body += "mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0;\n" + load +
            ";\nst.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+128], %r3;\n"
            "st.global.u32 [%rd1+256], %r4;\nst.global.u32 [%rd1+384], %r5;";
    const Outcome outcome = run_kernel(kernel_of(body), input, 128);
    ASSERT_EQ(outcome.fault, "");
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (unsigned e = 0; e < far.elements; ++e) {
        const auto* from = reinterpret_cast<const std::uint8_t*>(input.data()) + lane * stride +
                           std::size_t{e} * far.element + (far.element < 4 ? 1 * far.element : 0);
        std::uint32_t expected = 0;
        std::memcpy(&expected, from, far.element);
        if (far.is_signed)
          expected = static_cast<std::uint32_t>(static_cast<std::int32_t>(expected << 16U) >> 16U);
        EXPECT_EQ(outcome.words[std::size_t{e} * 32 + lane], expected)
            << "lane " << lane << " element " << e;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, LanesFarApart,
    ::testing::Values(FarApart{"Words", "ld.global.u32 %r2, [%rd6]", 68, 4},
                      FarApart{"WordsInRows", "ld.global.u32 %r2, [%rd6]", 2048, 4},
                      FarApart{"Halves", "ld.global.u16 %r2, [%rd6+2]", 66, 2},
                      FarApart{"SignedHalves", "ld.global.s16 %r2, [%rd6+2]", 514, 2, true},
                      FarApart{"Bytes", "ld.global.u8 %r2, [%rd6+1]", 37, 1},
                      FarApart{"Pairs", "ld.global.v2.u32 {%r2, %r3}, [%rd6]", 64, 4, false, 2},
                      FarApart{"Fours", "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd6]", 80, 4,
                               false, 4}),
    [](const auto& tested) { return tested.param.name; });

// More blocks than are followed in registers.
TEST(ManyBlocks, WhereLanesPartAndMeetAgain) {
  constexpr unsigned kParts = 120;
  std::string body = "mov.u32 %r2, %r1;\n";
  for (unsigned i = 0; i < kParts; ++i) {
    body += fmt::format(
        "and.b32 %r3, %r2, {1}; setp.ne.u32 %p1, %r3, 0; @%p1 bra ODD{0};\n"
        "mad.lo.u32 %r2, %r2, 3, {0}; bra MET{0};\n"
        "ODD{0}: xor.b32 %r2, %r2, %r0; add.u32 %r2, %r2, {0};\n"
        "MET{0}: shr.u32 %r3, %r2, 7; xor.b32 %r2, %r2, %r3;\n",
        i, 1U << i % 5);
  }
  const auto input = counting(64);
  const Outcome outcome = run_kernel(kernel_of(body + "st.global.u32 [%rd1], %r2;"), input, 64,
                                     {.grid = {2, 1, 1}, .block = {32, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < 64; ++t) {
    std::uint32_t x = input[t];
    for (unsigned i = 0; i < kParts; ++i) {
      x = (x & (1U << i % 5)) != 0 ? (x ^ t) + i : x * 3 + i;
      x ^= x >> 7U;
    }
    ASSERT_EQ(outcome.words[t], x) << "thread " << t;
  }
}

}  // namespace
}  // namespace emulator::testing
