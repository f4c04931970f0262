// Which NaN a result is: 0x7fffffff from f32 arithmetic, the same bits from what only moves them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "lower/triples.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

constexpr std::uint32_t kCanonical = 0x7fffffff;
constexpr std::uint32_t kOther = 0xffc12345;

// Operands of each thread: NaN, infinity and 0, in an order of its own.
constexpr std::uint32_t kNumbers[] = {kOther, 0x7f800000, 0};

struct Row {
  const char* name;
  // Operands come from memory: what NVIDIA's assembler computes itself has other NaNs.
  const char* body;  // %f1 is the thread's NaN, %f2 its infinity, %f3 0; leaves bits in %r20
  std::uint32_t expected;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

const Row kRows[] = {
    {"of_an_operand", "add.f32 %f4, %f1, %f2; mov.b32 %r20, %f4;", kCanonical},
    {"of_an_invalid_sum", "sub.f32 %f4, %f2, %f2; mov.b32 %r20, %f4;", kCanonical},
    {"of_an_invalid_product", "mul.rz.f32 %f4, %f2, %f3; mov.b32 %r20, %f4;", kCanonical},
    {"of_a_quotient", "div.rn.f32 %f4, %f3, %f3; mov.b32 %r20, %f4;", kCanonical},
    {"of_a_root", "neg.f32 %f4, %f2; sqrt.rn.f32 %f5, %f4; mov.b32 %r20, %f5;", kCanonical},
    {"of_an_approximation", "sin.approx.f32 %f4, %f2; mov.b32 %r20, %f4;", kCanonical},
    {"after_more_arithmetic",
     "fma.rn.f32 %f4, %f2, %f3, %f3; add.f32 %f5, %f4, %f2; mov.b32 %r20, %f5;", kCanonical},
    {"through_moves_and_choices",
     "sub.f32 %f4, %f2, %f2; mov.f32 %f5, %f4; setp.eq.f32 %p1, %f3, %f3; selp.f32 %f6, %f5, "
     "0f3f800000, %p1; mov.b32 %r20, %f6;",
     kCanonical},
    {"through_a_loop",
     "mov.f32 %f4, 0f3f800000; mov.u32 %r5, 3;\nL:\nsub.f32 %f5, %f4, %f1; mov.f32 %f4, %f5; "
     "sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra L; mov.b32 %r20, %f4;",
     kCanonical},
    {"where_a_register_holds_loaded_numbers_as_well",
     "mov.f32 %f4, %f1; setp.eq.f32 %p1, %f3, %f3; @%p1 add.f32 %f4, %f4, %f2; mov.b32 %r20, %f4;",
     kCanonical},
    {"of_a_negation", "neg.f32 %f4, %f1; mov.b32 %r20, %f4;", kCanonical},
    {"of_a_magnitude", "abs.f32 %f4, %f1; mov.b32 %r20, %f4;", kCanonical},
    {"of_a_conversion",
     "mov.b64 %rd9, 0xfff8123456789abc; mov.b64 %d1, %rd9; cvt.rn.f32.f64 %f4, %d1; mov.b32 %r20, "
     "%f4;",
     0xffc091a2},  // the sign, and what is left of the payload: as an H200 gives it
    {"in_memory",
     "add.f32 %f4, %f1, %f1; .shared .align 4 .b8 s[4]; st.shared.f32 [s], %f4; ld.shared.u32 "
     "%r20, [s];",
     kCanonical},
    {"of_an_atomic_sum",
     ".shared .align 4 .b8 s[4]; st.shared.f32 [s], %f1; atom.shared.add.f32 %f4, [s], %f2; "
     "ld.shared.u32 %r20, [s];",
     kCanonical},
    {"of_another_lane",
     "add.f32 %f4, %f1, %f1; mov.b32 %r5, %f4; shfl.sync.idx.b32 %r20, %r5, 3, 31, -1;",
     kCanonical},
    {"that_is_moved_stays", "mov.f32 %f4, %f1; mov.b32 %r20, %f4;", kOther},
    {"that_is_chosen_stays",
     "setp.eq.f32 %p1, %f3, %f3; selp.f32 %f4, %f1, %f3, %p1; mov.b32 %r20, %f4;", kOther},
    {"that_is_an_exchanged_word_stays",
     ".shared .align 4 .b8 s[4]; st.shared.f32 [s], %f1; bar.warp.sync -1; atom.shared.exch.b32 "
     "%r5, [s], %r1; ld.shared.u32 %r20, [s];",
     kOther},
    {"that_is_a_literal_stays", "mov.f32 %f4, 0f7fc00001; mov.b32 %r20, %f4;", 0x7fc00001},
    {"whose_guard_fails_stays",
     "mov.f32 %f4, %f1; setp.ne.f32 %p1, %f3, %f3; @%p1 add.f32 %f4, %f4, %f2; mov.b32 %r20, %f4;",
     kOther},
    {"of_f16", "mov.u16 %h1, 0xfc00; sub.f16 %h2, %h1, %h1; cvt.u32.u16 %r20, %h2;", 0x7fff},
    {"of_a_negated_pair", "or.b32 %r5, %r3, 0xfe01fc00; neg.f16x2 %r20, %r5;", 0x7fff7c00},
    {"of_the_magnitude_of_bf16",
     "or.b32 %r5, %r3, 0xffc1; cvt.u16.u32 %h1, %r5; abs.bf16 %h2, %h1; cvt.u32.u16 %r20, %h2;",
     0x7fff},
    {"of_bf16_made_wide_stays",
     "or.b32 %r5, %r3, 0xffc1; cvt.u16.u32 %h1, %r5; cvt.f32.bf16 %f4, %h1; mov.b32 %r20, %f4;",
     0xffc10000},
    {"of_bf16", "mov.u16 %h1, 0xff80; fma.rn.bf16 %h2, %h1, %h1, %h1; cvt.u32.u16 %r20, %h2;",
     0x7fff},
};

class NaN : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Each, NaN, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

// The same for operands of each lane's own and for the warp's.
void expect(const Row& row, const std::string& index) {
  std::string code = fmt::format("mul.wide.u32 %rd9, {}, 12; add.s64 %rd9, %rd2, %rd9;\n", index);
  for (unsigned i = 0; i < 3; ++i) {
    code += fmt::format("ld.global.u32 %r{0}, [%rd9+{1}]; mov.b32 %f{0}, %r{0};\n", i + 1, 4 * i);
  }
  std::vector<std::uint32_t> words;
  for (unsigned i = 0; i < 64; ++i) words.insert(words.end(), kNumbers, kNumbers + 3);
  const auto outcome =
      run_kernel(kernel_of(code + row.body + "\nst.global.u32 [%rd1], %r20;"), words, 32);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words, std::vector<std::uint32_t>(32, row.expected));
}

TEST_P(NaN, HasTheBitsOfAGpuInEachLane) { expect(GetParam(), "%r0"); }
TEST_P(NaN, HasTheBitsOfAGpuInTheWholeWarp) { expect(GetParam(), "%r60"); }

// Which NaN f64 arithmetic gives PTX leaves open, and devices differ; only that it is one is
// expected. Where a driver runs the kernels (driver_run.h), its bits are printed.
class NaNOfF64 : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    Each, NaNOfF64,
    ::testing::Values("add.rn.f64 %d13, %d10, %d11;", "sub.rn.f64 %d13, %d10, %d11;",
                      "mul.rn.f64 %d13, %d10, %d11;", "mul.rz.f64 %d13, %d10, %d11;",
                      "fma.rn.f64 %d13, %d10, %d11, %d12;", "div.rn.f64 %d13, %d10, %d11;",
                      "rcp.rn.f64 %d13, %d10;", "sqrt.rn.f64 %d13, %d10;", "neg.f64 %d13, %d10;",
                      "abs.f64 %d13, %d10;", "cvt.rni.f64.f64 %d13, %d10;",
                      "min.f64 %d13, %d10, %d11;", "max.f64 %d13, %d10, %d11;"));

bool is_nan(std::uint64_t bits) { return std::isnan(std::bit_cast<double>(bits)); }

TEST_P(NaNOfF64, IsOneWhereverNoNumberCanBe) {
  constexpr std::uint64_t kQuiet = 0x7ff8000000000123;
  constexpr std::uint64_t kSignalling = 0xfff0000000000456;
  constexpr std::uint64_t kInfinity = 0x7ff0000000000000;
  constexpr std::uint64_t kMinusInfinity = 0xfff0000000000000;
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  std::vector<Triple> operands = {
      {kQuiet, kOne, kOne},          {kOne, kQuiet, kOne},
      {kSignalling, kOne, kOne},     {kQuiet, kSignalling, kOne},
      {kSignalling, kQuiet, kQuiet}, {kOne, kOne, kQuiet},
      {kInfinity, kInfinity, kOne},  {kInfinity, kMinusInfinity, 0},
      {kInfinity, 0, kOne},          {0, 0, kOne},
      {kMinusInfinity, kOne, kOne},
  };
  const std::size_t tried = operands.size();
  operands.resize(256, {kOne, kOne, kOne});  // run_on() takes whole blocks
  const std::string instruction = GetParam();
  const auto got = run_on(instruction + " mov.b64 %rd20, %d13;", operands);
  // The smaller one of a NaN and a number is the number.
  const bool prefers_numbers = instruction.starts_with("min") || instruction.starts_with("max");
  const std::size_t sources = static_cast<std::size_t>(std::ranges::count(instruction, ','));
  for (std::size_t i = 0; i < tried; ++i) {
    const auto nans = std::count_if(
        operands[i].begin(), operands[i].begin() + static_cast<std::ptrdiff_t>(sources), is_nan);
    if (driver_to_test() != nullptr) {
      fmt::print("{:<36} {:016x} {:016x} {:016x} -> {:016x}\n", instruction, operands[i][0],
                 operands[i][1], operands[i][2], got[i]);
    }
    if (nans == 0 && !prefers_numbers) continue;  // IEEE 754 says which of these are invalid
    const auto needed = prefers_numbers ? static_cast<std::ptrdiff_t>(sources) : 1;
    EXPECT_EQ(is_nan(got[i]), nans >= needed) << i << std::hex << ' ' << got[i];
  }
}

}  // namespace
}  // namespace emulator::testing
