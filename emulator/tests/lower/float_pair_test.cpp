// Pairs of f32 in a register, sums of a half and an f32, and minima of three, which sm_100 and
// later have: every rounding, against the host's processor in the same mode.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "reference_floats.h"
#include "triples.h"

namespace emulator::testing {
namespace {

constexpr std::uint32_t kCanonicalNan = 0x7fffffff;

struct Operation {
  const char* name;
  const char* operands;  // of three sources the first two, or all
  float (*compute)(float a, float b, float c);
};
void PrintTo(const Operation& o, std::ostream* out) { *out << o.name; }

[[gnu::noinline]] float in_mode(const Operation& operation, int mode, float a, float b, float c) {
  const HostRounding rounding(mode);
  const volatile float x = a;
  const volatile float y = b;
  const volatile float z = c;
  const volatile float result = operation.compute(x, y, z);
  return result;
}

float without_subnormals(float x) { return std::abs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x; }
std::uint32_t bits_of(float x) {
  return std::isnan(x) ? kCanonicalNan : std::bit_cast<std::uint32_t>(x);
}
float lower(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
float upper(std::uint64_t bits) { return lower(bits >> 32); }

enum class Flush : std::uint8_t { no, yes };

std::uint32_t expected(const Operation& operation, int mode, Flush flush, float a, float b,
                       float c) {
  if (flush == Flush::no) return bits_of(in_mode(operation, mode, a, b, c));
  return bits_of(without_subnormals(in_mode(operation, mode, without_subnormals(a),
                                            without_subnormals(b), without_subnormals(c))));
}

// The numbers in the lower halves, and in the upper ones the same in another order.
std::vector<Triple> pairs() {
  const std::vector<Triple> numbers = triples(f32_edges(), 32);
  std::vector<Triple> all = numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Triple& other = numbers[(i * 7 + 3) % numbers.size()];
    for (std::size_t j = 0; j < 3; ++j) all[i][j] |= other[j] << 32;
  }
  return all;
}

constexpr Operation kPairOperations[] = {
    {"add", "%rd10, %rd11", [](float a, float b, float) { return a + b; }},
    {"sub", "%rd10, %rd11", [](float a, float b, float) { return a - b; }},
    {"mul", "%rd10, %rd11", [](float a, float b, float) { return a * b; }},
    {"fma", "%rd10, %rd11, %rd12", [](float a, float b, float c) { return std::fma(a, b, c); }},
};

using PairCase = std::tuple<Operation, Direction, Flush>;
class FloatPair : public ::testing::TestWithParam<PairCase> {};
TEST_P(FloatPair, HasTheBitsOfTheHostInBothHalves) {
  const auto& [operation, direction, flush] = GetParam();
  const auto operands = pairs();
  const auto got = run_on(fmt::format("{}.{}{}.f32x2 %rd20, {};", operation.name, direction.word,
                                      flush == Flush::yes ? ".ftz" : "", operation.operands),
                          operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& [a, b, c] = operands[i];
    const std::uint64_t low =
        expected(operation, direction.mode, flush, lower(a), lower(b), lower(c));
    const std::uint64_t high =
        expected(operation, direction.mode, flush, upper(a), upper(b), upper(c));
    ASSERT_EQ(got[i], low | high << 32) << std::hex << a << ", " << b << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, FloatPair,
                         ::testing::Combine(::testing::ValuesIn(kPairOperations),
                                            ::testing::ValuesIn(kDirections),
                                            ::testing::Values(Flush::no, Flush::yes)),
                         [](const auto& test) {
                           const bool flushes = std::get<2>(test.param) == Flush::yes;
                           return fmt::format("{}_{}{}", std::get<0>(test.param).name,
                                              std::get<1>(test.param).word, flushes ? "_ftz" : "");
                         });

TEST(FloatPairs, AreRoundedToNearestWhereNothingIsSaid) {
  const auto operands = pairs();
  for (const std::string operation : {"add", "sub", "mul"}) {
    EXPECT_EQ(run_on(operation + ".f32x2 %rd20, %rd10, %rd11;", operands),
              run_on(operation + ".rn.f32x2 %rd20, %rd10, %rd11;", operands))
        << operation;
  }
}

// What packs them moves the numbers of arithmetic, whose NaNs are canonical there too.
TEST(FloatPairs, TakeTheNaNsOfArithmeticAndGiveTheirs) {
  const auto operands = std::vector<Triple>(256, Triple{0x7f800000, 0xffc12345, 0x3f800000});
  const auto packed =
      run_on("sub.f32 %f1, %f10, %f10; mov.b64 %rd5, {%f1, %f11}; mov.b64 %rd20, %rd5;", operands);
  EXPECT_EQ(packed[0], 0xffc123457fffffffU);
  const auto sum = run_on(
      "mov.b64 %rd5, {%f11, %f12}; add.f32x2 %rd6, %rd5, %rd5; mov.b64 {%f1, %f2}, %rd6; mov.b32 "
      "%r1, %f1; mov.b32 %r2, %f2; mov.b64 %rd20, {%r1, %r2};",
      operands);
  EXPECT_EQ(sum[0], 0x400000007fffffffU);
}

// The half is the lowest 16 bits of an operand.
struct Half {
  const char* type;
  double (*decode)(std::uint64_t bits);
};
void PrintTo(const Half& h, std::ostream* out) { *out << h.type; }
constexpr Half kHalfTypes[] = {{"f16", f16}, {"bf16", bf16}};

constexpr Operation kMixedOperations[] = {
    {"add", "%h10, %f12", [](float a, float, float c) { return a + c; }},
    {"sub", "%h10, %f12", [](float a, float, float c) { return a - c; }},
    {"fma", "%h10, %h11, %f12", [](float a, float b, float c) { return std::fma(a, b, c); }},
};

enum class Saturate : std::uint8_t { no, yes };

// Halves with an f32 that is now and then of their size.
std::vector<Triple> halves_and_floats() {
  std::vector<Triple> all = triples(f16_edges(), 16);
  const std::vector<Triple> floats = triples(f32_edges(), 32);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i][2] = i % 3 == 0 ? std::uint64_t{bits_of(static_cast<float>(f16(all[i][2])))} + i % 5
                           : floats[(i * 11) % floats.size()][0];
  }
  return all;
}

using MixedCase = std::tuple<Operation, Direction, Half, Saturate>;
class MixedPrecision : public ::testing::TestWithParam<MixedCase> {};
TEST_P(MixedPrecision, IsRoundedOnce) {
  const auto& [operation, direction, half, saturate] = GetParam();
  const auto operands = halves_and_floats();
  const auto got =
      run_on(fmt::format("{}.{}{}.f32.{} %f20, {}; mov.b32 %r20, %f20; cvt.u64.u32 %rd20, %r20;",
                         operation.name, direction.word, saturate == Saturate::yes ? ".sat" : "",
                         half.type, operation.operands),
             operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& [a, b, c] = operands[i];
    const float sum = in_mode(operation, direction.mode, static_cast<float>(half.decode(a)),
                              static_cast<float>(half.decode(b)), lower(c));
    const float clamped = std::isnan(sum) ? 0.0F : std::min(std::max(sum, 0.0F), 1.0F) + 0.0F;
    ASSERT_EQ(got[i], bits_of(saturate == Saturate::yes ? clamped : sum))
        << std::hex << a << ", " << b << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, MixedPrecision,
                         ::testing::Combine(::testing::ValuesIn(kMixedOperations),
                                            ::testing::ValuesIn(kDirections),
                                            ::testing::ValuesIn(kHalfTypes),
                                            ::testing::Values(Saturate::no, Saturate::yes)),
                         [](const auto& test) {
                           const bool clamps = std::get<3>(test.param) == Saturate::yes;
                           return fmt::format("{}_{}_{}{}", std::get<0>(test.param).name,
                                              std::get<1>(test.param).word,
                                              std::get<2>(test.param).type, clamps ? "_sat" : "");
                         });

std::uint64_t with_constant(const std::string& sum) {
  const auto operands = std::vector<Triple>(256, Triple{0x4000, 0, 0x3f800000});
  return run_on(sum + " mov.b32 %r20, %f20; cvt.u64.u32 %rd20, %r20;", operands)[0];
}
TEST(MixedPrecisions, TakeConstantsOfF32) {
  EXPECT_EQ(with_constant("sub.f32.f16 %f20, %h10, 0.5;"), 0x3fc00000U);
}
TEST(MixedPrecisions, TakeConstantsOfBf16) {
  EXPECT_EQ(with_constant("add.f32.bf16 %f20, 0x4040, %f12;"), 0x40800000U);
}

// Minima of three: IEEE 754-2019's minimumNumber, or minimum with .NaN, one after the other.
struct Extreme {
  const char* words;
  bool maximum;
  bool propagates;
  bool magnitudes;
  Flush flush;
};
void PrintTo(const Extreme& e, std::ostream* out) { *out << e.words; }
constexpr Extreme kExtremes[] = {
    {"min", false, false, false, Flush::no},
    {"max", true, false, false, Flush::no},
    {"min.ftz", false, false, false, Flush::yes},
    {"max.NaN", true, true, false, Flush::no},
    {"min.abs", false, false, true, Flush::no},
    {"max.NaN.abs", true, true, true, Flush::no},
    {"min.ftz.NaN.abs", false, true, true, Flush::yes},
    {"max.ftz.abs", true, false, true, Flush::yes},
};

float of_two(const Extreme& extreme, float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    if (extreme.propagates) return NAN;
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == extreme.maximum ? b : a;
  return (a < b) != extreme.maximum ? a : b;
}

class ExtremeOfThree : public ::testing::TestWithParam<Extreme> {};
TEST_P(ExtremeOfThree, EqualsTheReference) {
  const Extreme& extreme = GetParam();
  const auto operands = triples(f32_edges(), 32);
  const auto got = run_on(fmt::format("{}.f32 %f20, %f10, %f11, %f12; mov.b32 %r20, %f20; "
                                      "cvt.u64.u32 %rd20, %r20;",
                                      extreme.words),
                          operands);
  const auto source = [&](std::uint64_t bits) {
    const float x = extreme.flush == Flush::yes ? without_subnormals(lower(bits)) : lower(bits);
    return extreme.magnitudes ? std::abs(x) : x;
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& [a, b, c] = operands[i];
    const float result = of_two(extreme, of_two(extreme, source(a), source(b)), source(c));
    ASSERT_EQ(got[i], bits_of(result)) << std::hex << a << ", " << b << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, ExtremeOfThree, ::testing::ValuesIn(kExtremes),
                         [](const auto& test) {
                           std::string name = test.param.words;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace emulator::testing
