// cvt to and from formats of 8, 6 and 4 bits and powers of two, against the host code of CUDA's
// headers; and rounding by random bits, against a search in the list of all numbers of a format.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "reference_floats.h"
#include "triples.h"

namespace emulator::testing {
namespace {

float float_of(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
float float_of_half(std::uint64_t bits) { return static_cast<float>(f16(bits)); }

// A format by what CUDA's headers say of one number.
struct Format8 {
  const char* type;
  unsigned bits;  // between two numbers of a register
  std::uint64_t (*from_float)(float x);
  double (*to_number)(std::uint64_t code);
};
void PrintTo(const Format8& f, std::ostream* out) { *out << f.type; }

double number_of(const __half_raw& half) { return f16(half.x); }

const Format8 kFormats[] = {
    {"e4m3", 8,
     [](float x) { return std::uint64_t{__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)}; },
     [](std::uint64_t code) {
       return number_of(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E4M3));
     }},
    {"e5m2", 8,
     [](float x) { return std::uint64_t{__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)}; },
     [](std::uint64_t code) {
       return number_of(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E5M2));
     }},
    {"e2m3", 8,
     [](float x) { return std::uint64_t{__nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest)}; },
     [](std::uint64_t code) {
       return number_of(__nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(code), __NV_E2M3));
     }},
    {"e3m2", 8,
     [](float x) { return std::uint64_t{__nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest)}; },
     [](std::uint64_t code) {
       return number_of(__nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(code), __NV_E3M2));
     }},
    {"e2m1", 4,
     [](float x) { return std::uint64_t{__nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest)}; },
     [](std::uint64_t code) {
       return number_of(__nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(code), __NV_E2M1));
     }},
};

// The register that holds two numbers of the format, and its content in %rd20 or from %rd10.
std::string pair_register(const Format8& format) { return format.bits == 4 ? "%c1" : "%h13"; }
std::string pair_to_result(const Format8& format) {
  return format.bits == 4 ? "cvt.u64.u8 %rd20, %c1;" : "cvt.u64.u16 %rd20, %h13;";
}
std::string pair_from_operand(const Format8& format) {
  return format.bits == 4 ? "cvt.u8.u64 %c1, %rd10;" : "cvt.u16.u64 %h13, %rd10;";
}
const std::string kRegisters = ".reg .b8 %c1; ";

// Every upper half of a float, with lower halves that lie on, beside and between ties.
std::vector<Triple> floats() {
  constexpr std::array<std::uint64_t, 4> kLower = {0, 1, 0x8000, 0xffff};
  std::vector<Triple> all;
  for (std::uint64_t upper = 0; upper < 0x10000; ++upper) {
    const std::uint64_t bits = upper << 16 | kLower.at(upper % 4);
    all.push_back({bits, (bits * 0x9e3779b1U) & 0xffffffffU, 0});
  }
  return all;
}
std::vector<Triple> pairs_of_halves() {
  std::vector<Triple> all;
  all.reserve(0x10000);
  for (std::uint64_t half = 0; half < 0x10000; ++half) {
    all.push_back({(0xffff - half) << 16 | half, 0, 0});
  }
  return all;
}
// A part of the operands, for warps whose lanes all have the same.
std::vector<Triple> some_of(const std::vector<Triple>& all) {
  std::vector<Triple> some;
  for (std::size_t i = 0; some.size() < 256; i += 251) some.push_back(all[i % all.size()]);
  return some;
}
std::vector<std::uint64_t> run_over(const std::string& body, const std::vector<Triple>& operands) {
  static_cast<void>(run_on(kRegisters + body, some_of(operands)));  // expects the same of both
  return run_spread(kRegisters + body, operands, Spread::lanes);
}

// What .relu makes of a number: nothing below zero, and no zero with a sign.
float without_negative(float x) { return x < 0 || x == 0 ? 0.0F : x; }

class SmallFloat : public ::testing::TestWithParam<Format8> {};
INSTANTIATE_TEST_SUITE_P(Each, SmallFloat, ::testing::ValuesIn(kFormats),
                         [](const auto& test) { return std::string(test.param.type); });

TEST_P(SmallFloat, OfFloatsIsTheHostsForEveryUpperHalf) {
  const Format8& format = GetParam();
  const auto operands = floats();
  const auto convert = [&](const char* relu) {
    return run_over(fmt::format("cvt.rn.satfinite{}.{}x2.f32 {}, %f10, %f11; {}", relu, format.type,
                                pair_register(format), pair_to_result(format)),
                    operands);
  };
  const auto plain = convert("");
  const auto limited = convert(".relu");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const float a = float_of(operands[i][0]);
    const float b = float_of(operands[i][1]);
    ASSERT_EQ(plain[i], format.from_float(a) << format.bits | format.from_float(b))
        << a << " " << b;
    ASSERT_EQ(limited[i], format.from_float(without_negative(a)) << format.bits |
                              format.from_float(without_negative(b)))
        << a << " " << b;
  }
}

class SmallFloatOfHalves : public ::testing::TestWithParam<Format8> {};
INSTANTIATE_TEST_SUITE_P(Each, SmallFloatOfHalves,
                         ::testing::Values(kFormats[0], kFormats[1], kFormats[4]),
                         [](const auto& test) { return std::string(test.param.type); });

TEST_P(SmallFloatOfHalves, IsTheHostsForAll) {
  const Format8& format = GetParam();
  const auto operands = pairs_of_halves();
  const auto got = run_over(fmt::format("cvt.rn.satfinite.{}x2.f16x2 {}, %r10; {}", format.type,
                                        pair_register(format), pair_to_result(format)),
                            operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    ASSERT_EQ(got[i], format.from_float(float_of_half(operands[i][0] >> 16)) << format.bits |
                          format.from_float(float_of_half(operands[i][0])))
        << i;
  }
}

TEST_P(SmallFloat, MadeHalvesIsExactForEveryCode) {
  const Format8& format = GetParam();
  const bool bytes = format.type[1] == '4' || format.type[1] == '5';
  const std::uint64_t codes = bytes ? 256 : (format.bits == 4 ? 16 : 64);
  std::vector<Triple> operands;
  operands.reserve(256);
  for (std::uint64_t i = 0; i < 256; ++i) {
    operands.push_back({(codes - 1 - i % codes) << format.bits | i % codes, 0, 0});
  }
  const auto convert = [&](const char* relu) {
    return run_on(kRegisters + pair_from_operand(format) +
                      fmt::format("cvt.rn{}.f16x2.{}x2 %r20, {}; cvt.u64.u32 %rd20, %r20;", relu,
                                  format.type, pair_register(format)),
                  operands);
  };
  const auto plain = convert("");
  const auto limited = convert(".relu");
  for (std::size_t i = 0; i < 256; ++i) {
    const double lower = format.to_number(i % codes);
    const double upper = format.to_number(codes - 1 - i % codes);
    ASSERT_PRED2(same, f16(plain[i]), lower) << i;
    ASSERT_PRED2(same, f16(plain[i] >> 16), upper) << i;
    ASSERT_PRED2(same, f16(limited[i]), without_negative(static_cast<float>(lower))) << i;
    if (std::isnan(lower)) {
      ASSERT_EQ(plain[i] & 0xffffU, 0x7fffU);
    }
  }
}

struct PowerRounding {
  const char* words;
  cudaRoundMode mode;
  __nv_saturation_t saturation;
};
constexpr PowerRounding kPowerRoundings[] = {
    {"rz", cudaRoundZero, __NV_NOSAT},
    {"rp", cudaRoundPosInf, __NV_NOSAT},
    {"rz.satfinite", cudaRoundZero, __NV_SATFINITE},
    {"rp.satfinite", cudaRoundPosInf, __NV_SATFINITE},
};

TEST(PowersOfTwo, OfFloatsAreTheHostsForEveryUpperHalf) {
  const auto operands = floats();
  for (const PowerRounding& rounding : kPowerRoundings) {
    const auto got =
        run_over(fmt::format("cvt.{}.ue8m0x2.f32 %h13, %f10, %f11; cvt.u64.u16 %rd20, %h13;",
                             rounding.words),
                 operands);
    const auto expected = [&](std::uint64_t bits) {
      return std::uint64_t{
          __nv_cvt_float_to_e8m0(float_of(bits), rounding.saturation, rounding.mode)};
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
      ASSERT_EQ(got[i], expected(operands[i][0]) << 8 | expected(operands[i][1]))
          << rounding.words << std::hex << ' ' << operands[i][0] << ' ' << operands[i][1];
    }
  }
}

TEST(PowersOfTwo, OfBf16AreTheHostsForAll) {
  const auto operands = pairs_of_halves();
  for (const PowerRounding& rounding : kPowerRoundings) {
    const auto got = run_over(
        fmt::format("cvt.{}.ue8m0x2.bf16x2 %h13, %r10; cvt.u64.u16 %rd20, %h13;", rounding.words),
        operands);
    const auto expected = [&](std::uint64_t bits) {
      const __nv_bfloat16_raw half{static_cast<unsigned short>(bits)};
      return std::uint64_t{__nv_cvt_bfloat16raw_to_e8m0(half, rounding.saturation, rounding.mode)};
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
      ASSERT_EQ(got[i], expected(operands[i][0] >> 16) << 8 | expected(operands[i][0] & 0xffff))
          << rounding.words << ' ' << i;
    }
  }
}

TEST(PowersOfTwo, MadeBf16AreTheHostsForEveryCode) {
  std::vector<Triple> operands;
  operands.reserve(256);
  for (std::uint64_t i = 0; i < 256; ++i) operands.push_back({(255 - i) << 8 | i, 0, 0});
  const auto got = run_on("cvt.rn.bf16x2.ue8m0x2 %r20, %h10; cvt.u64.u32 %rd20, %r20;", operands);
  const auto expected = [](std::uint64_t code) {
    return std::uint64_t{__nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(code)).x};
  };
  for (std::uint64_t i = 0; i < 256; ++i) {
    EXPECT_EQ(got[i], expected(255 - i) << 16 | expected(i)) << i;
  }
}

// As the device code of cuda_fp4.h has it: the byte becomes a halfword.
TEST(SmallFloats, OfFourBitsAreMovedAsBytes) {
  const auto got = run_on(
      kRegisters +
          "cvt.rn.satfinite.e2m1x2.f32 %c1, %f10, %f11; mov.b16 %h13, {%c1, 0}; cvt.u64.u16 %rd20, "
          "%h13;",
      std::vector<Triple>(256, Triple{0x40c00000, 0xbf800000, 0}));
  EXPECT_EQ(got[0], 0x7aU);
}

// Random rounding: of a list of all magnitudes of a format, by their codes.
struct RandomFormat {
  const char* type;       // of the result
  unsigned numbers;       // in it
  unsigned width;         // of one
  unsigned sign;          // its place
  std::uint64_t largest;  // finite code
  std::uint64_t nan;
  unsigned random_bits;
  double (*to_number)(std::uint64_t code);
  std::array<unsigned, 4> random;  // where those of each number begin, the lowest number first
};
void PrintTo(const RandomFormat& f, std::ostream* out) { *out << f.type; }

const RandomFormat kRandomFormats[] = {
    {"f16x2", 2, 16, 15, 0x7bff, 0x7fff, 13, f16, {0, 16, 0, 0}},
    {"bf16x2", 2, 16, 15, 0x7f7f, 0x7fff, 16, bf16, {0, 16, 0, 0}},
    {"e4m3x4", 4, 8, 7, 0x7e, 0x7f, 8, kFormats[0].to_number, {0, 8, 16, 24}},
    {"e5m2x4", 4, 8, 7, 0x7b, 0x7f, 8, kFormats[1].to_number, {0, 8, 16, 24}},
    {"e2m3x4", 4, 8, 5, 0x1f, 0x1f, 8, kFormats[2].to_number, {0, 8, 16, 24}},
    {"e3m2x4", 4, 8, 5, 0x1f, 0x1f, 8, kFormats[3].to_number, {0, 8, 16, 24}},
    {"e2m1x4", 4, 4, 3, 0x7, 0x7, 8, kFormats[4].to_number, {0, 16, 8, 24}},
};

class RandomRounding : public ::testing::TestWithParam<RandomFormat> {
 protected:
  RandomRounding() {
    for (std::uint64_t code = 0; code <= GetParam().largest; ++code) {
      magnitudes_.push_back(GetParam().to_number(code));
    }
  }
  // Where a number lies between its neighbours is a fraction, of which as many bits count as there
  // are random ones; together they reach 1 or not.
  [[nodiscard]] std::uint64_t rounded_code(float x, std::uint64_t all_random, unsigned place,
                                           bool finite) const {
    const RandomFormat& format = GetParam();
    if (std::isnan(x)) return format.nan;
    const double magnitude = std::abs(static_cast<double>(x));
    const std::uint64_t sign = std::uint64_t{std::signbit(x)} << format.sign;
    const std::uint64_t infinity = format.largest + (finite ? 0 : 1);
    if (std::isinf(x)) return sign | infinity;
    const auto above = std::ranges::upper_bound(magnitudes_, magnitude);
    const auto code = static_cast<std::uint64_t>(above - magnitudes_.begin()) - 1;
    const double low = magnitudes_[code];
    // Behind the largest the next one would be as far away as the one before it.
    const double step = above != magnitudes_.end() ? *above - low : low - magnitudes_[code - 1];
    const double steps = (magnitude - low) / step;
    if (steps >= 1) return sign | infinity;
    const std::uint64_t end = std::uint64_t{1} << format.random_bits;
    const auto random = all_random >> format.random.at(place) & (end - 1);
    const auto fraction =
        static_cast<std::uint64_t>(std::ldexp(steps, static_cast<int>(format.random_bits)));
    return sign | std::min(code + (fraction + random >= end ? 1 : 0), infinity);
  }

  std::vector<double> magnitudes_;
};
INSTANTIATE_TEST_SUITE_P(Each, RandomRounding, ::testing::ValuesIn(kRandomFormats),
                         [](const auto& test) { return std::string(test.param.type); });

// Floats from far below the format's smallest number to beyond its largest, and any other.
std::vector<Triple> floats_about(double largest) {
  std::mt19937_64 random(11);
  std::vector<Triple> all;
  const int top = std::ilogb(largest) + 2;
  const auto any = [&](std::size_t i) -> std::uint64_t {
    if (i % 8 == 7) return random() & 0xffffffffU;
    const int exponent = top - static_cast<int>(random() % 40);
    const double mantissa = 1 + static_cast<double>(random() & 0x7fffffU) * 0x1p-23;
    const auto number = static_cast<float>(std::ldexp(i % 2 == 0 ? mantissa : -mantissa, exponent));
    return std::bit_cast<std::uint32_t>(number);
  };
  constexpr std::size_t kCount = 4096;
  all.reserve(2 * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    all.push_back(
        {any(i) | any(i + 1) << 32, any(i + 2) | any(i + 3) << 32, random() & 0xffffffffU});
  }
  for (std::uint64_t bits : f32_edges()) all.push_back({bits | bits << 32, bits | bits << 32, 0});
  for (std::uint64_t bits : f32_edges()) {
    all.push_back({bits | bits << 32, bits | bits << 32, 0xffffffffU});
  }
  while (all.size() % 256 != 0) all.push_back(all.front());
  return all;
}

TEST_P(RandomRounding, GoesByTheCarryOfTheRandomBits) {
  const RandomFormat& format = GetParam();
  const bool four = format.numbers == 4;
  const auto operands = floats_about(magnitudes_.back());
  const std::string unpack =
      "mov.b64 {%f1, %f2}, %rd10; mov.b64 {%f3, %f4}, %rd11; cvt.u32.u64 %r1, %rd12; ";
  const std::string to = format.width == 4 ? "%h13" : "%r20";
  const std::string finish =
      format.width == 4 ? "cvt.u64.u16 %rd20, %h13;" : "cvt.u64.u32 %rd20, %r20;";
  const std::string sources = four ? "{%f4, %f3, %f2, %f1}" : "%f2, %f1";
  for (const std::string& words :
       std::vector<std::string>{"satfinite", "satfinite.relu", "", "relu"}) {
    const bool finite = words.starts_with("satfinite");
    if (four && !finite) continue;  // PTX asks for it
    const auto got =
        run_on(fmt::format("{}cvt.rs{}{}.{}.f32 {}, {}, %r1; {}", unpack, words.empty() ? "" : ".",
                           words, format.type, to, sources, finish),
               operands);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::array<float, 4> numbers = {
          float_of(operands[i][0]), float_of(operands[i][0] >> 32), float_of(operands[i][1]),
          float_of(operands[i][1] >> 32)};
      std::uint64_t expected = 0;
      for (unsigned n = 0; n < format.numbers; ++n) {
        const float x = words.ends_with("relu") ? without_negative(numbers.at(n)) : numbers.at(n);
        expected |= rounded_code(x, operands[i][2], n, finite) << (n * format.width);
      }
      ASSERT_EQ(got[i], expected) << words << ' ' << numbers[0] << ' ' << numbers[1] << ' '
                                  << numbers[2] << ' ' << numbers[3] << std::hex << ' '
                                  << operands[i][2];
    }
  }
}

// Of 2^n random numbers as many round up as the discarded bits say.
TEST(RandomRoundings, AreAsOftenUpwardsAsTheNumberIsNearTheUpperOne) {
  std::vector<Triple> operands;
  operands.reserve(256);
  for (std::uint64_t random = 0; random < 256; ++random) {
    operands.push_back({0x3f900000, 0, random * 0x01010101U});  // 1.125 of the steps of 0.5 of e2m1
  }
  const auto got = run_on(
      "cvt.rs.satfinite.e2m1x4.f32 %h13, {%f10, %f10, %f10, %f10}, %r12; cvt.u64.u16 %rd20, %h13;",
      operands);
  EXPECT_EQ(std::ranges::count(got, 0x3333U), 64);
  EXPECT_EQ(std::ranges::count(got, 0x2222U), 192);
}

}  // namespace
}  // namespace emulator::testing
