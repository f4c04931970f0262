#include "trial/inputs/conversion.h"

#include <cuda_fp8.h>
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
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

// CUDA's own header is the oracle; cvt.rn.satfinite is what it does on a GPU.
template <SmallFormat Format, __nv_fp8_interpretation_t Kind, typename ToFloat>
void expect_as_cuda(ToFloat to_float) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = to_float(static_cast<std::uint8_t>(bits));
    const __half_raw half = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits), Kind);
    const float theirs = f16_to_float(half.x);
    if (std::isnan(theirs)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      continue;
    }
    EXPECT_EQ(value, theirs) << bits;
    if (std::isfinite(value)) {
      EXPECT_EQ(float_to_small<Format>(value), bits);
    }
  }
  std::mt19937 random(20261125);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  const auto expect_at = [](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    EXPECT_EQ(float_to_small<Format>(value), __nv_cvt_float_to_fp8(value, __NV_SATFINITE, Kind))
        << value;
  };
  for (int i = 0; i < 200'000; ++i) expect_at(static_cast<std::uint32_t>(random()));
  // Every tie, and what lies beside it.
  for (std::uint32_t top = 0; top < 4096; ++top) {
    for (const std::uint32_t low : {0U, 1U, 0x7ffffU, 0x80000U, 0x80001U, 0xfffffU}) {
      expect_at((top << 20U) | low);
    }
  }
}

TEST(E4m3, IsCudas) { expect_as_cuda<kE4m3, __NV_E4M3>(e4m3_to_float); }
TEST(E5m2, IsCudas) { expect_as_cuda<kE5m2, __NV_E5M2>(e5m2_to_float); }

TEST(Tensors, OfEveryTypeReadAndWriteBackWholeNumbers) {
  for (int i = 0; i <= static_cast<int>(cases::kLastDType); ++i) {
    const auto dtype = static_cast<cases::DType>(i);
    // What each holds: the narrowest are bool, and e5m2 with three digits.
    std::array<float, 4> values = {0, 1, 17, 127};
    if (cases::size_of(dtype) == 1 && cases::is_floating(dtype)) values = {0, 1, 14, 112};
    if (dtype == cases::DType::boolean) values = {0, 1, 1, 0};
    std::vector<std::byte> bytes(values.size() * cases::size_of(dtype));
    std::array<float, 4> back{};
    from_floats(dtype, values, bytes);
    to_floats(dtype, bytes, back);
    EXPECT_EQ(back, values) << cases::spelling(dtype);
  }
}

TEST(Tensors, OfIntegerTypesHoldWhatNoFloatDoes) {
  const std::array<std::int64_t, 2> values = {(1LL << 53) - 1, -123456789012345};
  std::array<std::int64_t, 2> stored{};
  from_integers(cases::DType::i64, values, std::as_writable_bytes(std::span(stored)));
  EXPECT_EQ(stored, values);
  std::array<std::int16_t, 2> narrow{};
  const std::array<std::int64_t, 2> small = {-32768, 32767};
  from_integers(cases::DType::i16, small, std::as_writable_bytes(std::span(narrow)));
  EXPECT_THAT(narrow, testing::ElementsAre(-32768, 32767));
}

}  // namespace
}  // namespace autokernel::trial
