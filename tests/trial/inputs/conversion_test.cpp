#include "trial/inputs/conversion.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace autokernel::trial {
namespace {

// A 16-bit format as the tests see it.
struct Format {
  float (*read)(std::uint16_t);
  std::uint16_t (*write)(float);
  std::uint16_t infinity;  // bits
  const char* name;
};
constexpr Format kBf16{bf16_to_float, float_to_bf16, 0x7f80, "bf16"};
constexpr Format kF16{f16_to_float, float_to_f16, 0x7c00, "f16"};

// Counts over all values, so that one wrong conversion is one number and not 30,000 lines.
template <typename Check>
int failures(std::uint32_t end, Check holds) {
  int count = 0;
  for (std::uint32_t bits = 0; bits < end; ++bits)
    count += holds(static_cast<std::uint16_t>(bits)) ? 0 : 1;
  return count;
}

class HalfFormat : public ::testing::TestWithParam<Format> {};

TEST_P(HalfFormat, EveryFiniteValueAndInfinityReadsAndWritesBackAsItself) {
  const Format format = GetParam();
  EXPECT_EQ(failures(0x10000,
                     [&](std::uint16_t bits) {
                       const bool nan = (bits & 0x7fffU) > format.infinity;
                       return nan || format.write(format.read(bits)) == bits;
                     }),
            0);
}

TEST_P(HalfFormat, EveryNanBecomesTheCanonicalOne) {
  const Format format = GetParam();
  EXPECT_EQ(failures(0x10000,
                     [&](std::uint16_t bits) {
                       const bool nan = (bits & 0x7fffU) > format.infinity;
                       return !nan || (std::isnan(format.read(bits)) &&
                                       format.write(format.read(bits)) == kCanonicalNan);
                     }),
            0);
}

TEST_P(HalfFormat, ValuesGrowWithTheirBits) {
  const Format format = GetParam();
  EXPECT_EQ(failures(format.infinity,
                     [&](std::uint16_t bits) {
                       return format.read(bits) < format.read(static_cast<std::uint16_t>(bits + 1));
                     }),
            0);
}

// Between neighbours the middle goes to the even one, and a hair to either side of it to the nearer
// one. The middle is a float, since floats have many more bits. Infinity's lower neighbour is left
// to a test of its own.
TEST_P(HalfFormat, EveryMiddleRoundsToEvenAndEveryOtherValueToTheNearer) {
  const Format format = GetParam();
  EXPECT_EQ(failures(format.infinity - 1U,
                     [&](std::uint16_t bits) {
                       const auto above = static_cast<std::uint16_t>(bits + 1);
                       const std::uint16_t even = bits % 2 == 0 ? bits : above;
                       const auto middle =
                           static_cast<float>((static_cast<double>(format.read(bits)) +
                                               static_cast<double>(format.read(above))) /
                                              2);
                       const float below_middle = std::nextafterf(middle, 0.0F);
                       const float above_middle =
                           std::nextafterf(middle, std::numeric_limits<float>::infinity());
                       return format.write(middle) == even && format.write(below_middle) == bits &&
                              format.write(above_middle) == above &&
                              format.write(-middle) == (even | 0x8000U);
                     }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Each, HalfFormat, ::testing::Values(kBf16, kF16),
                         [](const auto& tested) { return tested.param.name; });

TEST(F16, OverflowsWhereTheNextValueWouldBeNearer) {
  EXPECT_EQ(float_to_f16(65504.0F), 0x7bff);
  EXPECT_EQ(float_to_f16(65519.99F), 0x7bff);
  EXPECT_EQ(float_to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(float_to_f16(1e30F), 0x7c00);
  EXPECT_EQ(float_to_f16(-std::numeric_limits<float>::infinity()), 0xfc00);
}

TEST(Bf16, OverflowsToInfinity) {
  EXPECT_EQ(float_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bf16(std::numeric_limits<float>::lowest()), 0xff80);
}

TEST(Tensors, OfEveryTypeReadAndWriteBackWholeNumbers) {
  const std::array<float, 4> values = {0, 1, 17, 127};
  for (const cases::DType dtype : {cases::DType::f32, cases::DType::f16, cases::DType::bf16,
                                   cases::DType::i32, cases::DType::u8}) {
    std::vector<std::byte> bytes(values.size() * cases::size_of(dtype));
    std::array<float, 4> back{};
    from_floats(dtype, values, bytes);
    to_floats(dtype, bytes, back);
    EXPECT_EQ(back, values) << cases::spelling(dtype);
  }
}

}  // namespace
}  // namespace autokernel::trial
