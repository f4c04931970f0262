// cvt from every type to every other, in each rounding.
#include <gtest/gtest.h>

#include <tuple>

#include "reference_floats.h"
#include "triples.h"

namespace emulator::testing {
namespace {

struct Kind {
  const char* name;
  unsigned bits;
  bool is_signed;
};
constexpr Kind kIntegers[] = {{"u8", 8, false},   {"s8", 8, true},    {"u16", 16, false},
                              {"s16", 16, true},  {"u32", 32, false}, {"s32", 32, true},
                              {"u64", 64, false}, {"s64", 64, true}};
struct Real {
  const char* name;
  double (*value)(std::uint64_t bits);
  Format format;
  const char* source;  // register of the operand
  const char* result;  // register for a result, and how it gets into %rd20
  const char* unpack;
};
const Real kReals[] = {
    {"f16", f16, kF16, "%h10", "%h13", "cvt.u64.u16 %rd20, %h13;"},
    {"bf16", bf16, kBf16, "%h10", "%h13", "cvt.u64.u16 %rd20, %h13;"},
    {"f32", f32, kF32, "%f10", "%f13", "mov.b32 %r20, %f13; cvt.u64.u32 %rd20, %r20;"},
    {"f64", f64, {}, "%d10", "%d13", "mov.b64 %rd20, %d13;"},
};
void PrintTo(const Kind& k, std::ostream* out) { *out << k.name; }
void PrintTo(const Real& r, std::ostream* out) { *out << r.name; }

__extension__ using Wide = __int128;

Wide integer(std::uint64_t bits, const Kind& kind) {
  const std::uint64_t shifted = bits << (64 - kind.bits);
  if (kind.is_signed) return static_cast<std::int64_t>(shifted) >> (64 - kind.bits);
  return shifted >> (64 - kind.bits);
}
std::uint64_t low_bits(Wide value, unsigned bits) {
  const auto all = static_cast<std::uint64_t>(value);
  return bits == 64 ? all : all & ((std::uint64_t{1} << bits) - 1);
}
Wide lowest(const Kind& kind) { return kind.is_signed ? -(Wide{1} << (kind.bits - 1)) : Wide{0}; }
Wide highest(const Kind& kind) {
  return (Wide{1} << (kind.is_signed ? kind.bits - 1 : kind.bits)) - 1;
}

const char* source_of(const Kind& kind) {
  if (kind.bits == 64) return "%rd10";
  return kind.bits == 32 ? "%r10" : "%h10";
}
// The register for a result, and how it gets into %rd20.
std::pair<std::string, std::string> result_of(const Kind& kind) {
  if (kind.bits == 64) return {"%rd20", ""};
  if (kind.bits == 32) return {"%r20", "cvt.u64.u32 %rd20, %r20;"};
  return {"%h13", "cvt.u64.u16 %rd20, %h13;"};
}

// Beside bf16 the register of a byte may not be wider than it.
bool wants_byte_register(const Kind& kind, const Real& real) {
  return kind.bits == 8 && real.value == bf16;
}

std::vector<std::uint64_t> integer_edges() {
  return {0,
          1,
          2,
          0x7f,
          0x80,
          0x81,
          0xff,
          0x7fff,
          0x8000,
          0xffff,
          0x1001,
          0x7fffffff,
          0x80000000,
          0x80000001,
          0xffffffff,
          0x01000001,
          0x01000003,
          0x7fffffffffffffff,
          0x8000000000000000,
          0x8000000000000001,
          0xffffffffffffffff,
          0x0020000000000001,
          0x0020000000000003,
          0x7ffffffffffffc00,
          0x7ffffffffffffdff,
          0xfffffffffffff400,
          65504,
          65519,
          65520,
          65521,
          0xfffffffffffeffff};
}

using ToReal = std::tuple<Kind, Real, Direction>;
class IntegerToReal : public ::testing::TestWithParam<ToReal> {};
TEST_P(IntegerToReal, IsRoundedOnce) {
  const auto& [from, to, direction] = GetParam();
  const auto operands = triples(integer_edges(), 64);
  const bool byte = wants_byte_register(from, to);
  const auto got =
      run_on(std::string(byte ? ".reg .b8 %b10; cvt.u8.u16 %b10, %h10;" : "") + "cvt." +
                 direction.word + "." + to.name + "." + from.name + " " + to.result + ", " +
                 (byte ? "%b10" : source_of(from)) + ";" + to.unpack,
             operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Wide number = integer(operands[i][0], from);
    double expected = 0;
    if (to.format.digits == 0) {
      const HostRounding rounding(direction.mode);
      const volatile auto exact = static_cast<long double>(number);
      expected = static_cast<double>(exact);
    } else {
      const volatile auto exact = static_cast<long double>(number);
      expected =
          rounded(odd([&] { return static_cast<double>(exact); }), to.format, direction.mode);
    }
    ASSERT_PRED2(same, to.value(got[i]), expected) << std::hex << operands[i][0];
  }
}
INSTANTIATE_TEST_SUITE_P(Each, IntegerToReal,
                         ::testing::Combine(::testing::ValuesIn(kIntegers),
                                            ::testing::ValuesIn(kReals),
                                            ::testing::ValuesIn(kDirections)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name + "_" + std::get<2>(test.param).word;
                         });

constexpr Direction kWhole[] = {
    {"rni", FE_TONEAREST}, {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}};

std::vector<std::uint64_t> edges_of(const Real& real) {
  if (real.value == f16) return f16_edges();
  if (real.value == bf16) return bf16_edges();
  std::vector<double> near_limits;
  std::vector<std::uint64_t> edges = real.value == f32 ? f32_edges() : f64_edges();
  edges.resize(18);
  for (const double x :
       {127.5, 128.5, 255.5, -128.5, -0.5, 0.5, 2.5, 32767.5, 65535.5, 2147483648.0, -2147483648.0,
        4294967296.0, 9223372036854775808.0, 1.8446744073709552e19}) {
    edges.push_back(real.value == f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(x))
                                      : std::bit_cast<std::uint64_t>(x));
  }
  return edges;
}
unsigned width_of(const Real& real) {
  return real.value == f64 ? 64 : (real.value == f32 ? 32 : 16);
}

using ToInteger = std::tuple<Real, Kind, Direction>;
class RealToInteger : public ::testing::TestWithParam<ToInteger> {};
TEST_P(RealToInteger, ClampsAndGivesTheFixedValueForNan) {
  const auto& [from, to, direction] = GetParam();
  const auto operands = triples(edges_of(from), width_of(from));
  const bool byte = wants_byte_register(to, from);
  const auto [result, unpack] =
      byte ? std::pair<std::string, std::string>{"%b13", "cvt.u64.u8 %rd20, %b13;"} : result_of(to);
  const auto got =
      run_on((byte ? ".reg .b8 %b13; cvt." : "cvt.") + std::string(direction.word) + "." + to.name +
                 "." + from.name + " " + result + ", " + from.source + ";" + unpack,
             operands);
  const bool nan_is_zero = to.bits != 64 && from.value != f64;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const double number = from.value(operands[i][0]);
    Wide expected = 0;
    if (std::isnan(number)) {
      expected = nan_is_zero ? Wide{0} : Wide{1} << (to.bits - 1);
    } else {
      const HostRounding rounding(direction.mode);
      const volatile double whole = std::nearbyint(number);
      expected = whole <= static_cast<double>(lowest(to)) ? lowest(to)
                 : whole > std::ldexp(1.0, to.is_signed ? static_cast<int>(to.bits) - 1
                                                        : static_cast<int>(to.bits)) -
                               0.5
                     ? highest(to)
                     : static_cast<Wide>(whole);
      if (expected > highest(to)) expected = highest(to);
    }
    ASSERT_EQ(low_bits(static_cast<Wide>(got[i]), to.bits), low_bits(expected, to.bits))
        << std::hex << operands[i][0] << " is " << number;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, RealToInteger,
                         ::testing::Combine(::testing::ValuesIn(kReals),
                                            ::testing::ValuesIn(kIntegers),
                                            ::testing::ValuesIn(kWhole)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name + "_" + std::get<2>(test.param).word;
                         });

using BetweenIntegers = std::tuple<Kind, Kind>;
class IntegerToInteger : public ::testing::TestWithParam<BetweenIntegers> {};
TEST_P(IntegerToInteger, ExtendsOrCutsAndSaturatesWhereAsked) {
  const auto& [from, to] = GetParam();
  const auto operands = triples(integer_edges(), 64);
  const auto [result, unpack] = result_of(to);
  const std::string types = std::string(to.name) + "." + from.name + " " + result + ", ";
  const auto plain = run_on("cvt." + types + source_of(from) + ";" + unpack, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Wide number = integer(operands[i][0], from);
    ASSERT_EQ(low_bits(static_cast<Wide>(plain[i]), to.bits), low_bits(number, to.bits));
  }
  // PTX has .sat only where there is something to clamp.
  if (lowest(from) >= lowest(to) && highest(from) <= highest(to)) return;
  const auto clamped = run_on("cvt.sat." + types + source_of(from) + ";" + unpack, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Wide number = integer(operands[i][0], from);
    const Wide limited = std::min(std::max(number, lowest(to)), highest(to));
    ASSERT_EQ(low_bits(static_cast<Wide>(clamped[i]), to.bits), low_bits(limited, to.bits))
        << std::hex << operands[i][0];
  }
}
INSTANTIATE_TEST_SUITE_P(Each, IntegerToInteger,
                         ::testing::Combine(::testing::ValuesIn(kIntegers),
                                            ::testing::ValuesIn(kIntegers)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name;
                         });

// From one real format to another.
struct Narrowing {
  const char* name;
  const char* instruction;
  std::size_t from;  // of kReals
  double (*result)(std::uint64_t bits);
  Format format;
  int mode;
  bool saturates;  // to the largest finite value
};
void PrintTo(const Narrowing& n, std::ostream* out) { *out << n.name; }

double tf32(std::uint64_t bits) {
  return (bits & 0x1fffU) == 0 || std::isnan(f32(bits)) ? f32(bits)
                                                        : -1234567;  // unused bits are 0
}
double upper_e4m3(std::uint64_t bits) { return e4m3(bits >> 8); }
double lower_e5m2(std::uint64_t bits) { return e5m2(bits); }

#define WIDEN "cvt.u64.u16 %rd20, %h13;"
#define WORD "mov.b32 %r20, %f13; cvt.u64.u32 %rd20, %r20;"
const Narrowing kNarrowings[] = {
    {"f32_f64_rn", "cvt.rn.f32.f64 %f13, %d10;" WORD, 3, f32, kF32, FE_TONEAREST, false},
    {"f32_f64_rz", "cvt.rz.f32.f64 %f13, %d10;" WORD, 3, f32, kF32, FE_TOWARDZERO, false},
    {"f32_f64_rm", "cvt.rm.f32.f64 %f13, %d10;" WORD, 3, f32, kF32, FE_DOWNWARD, false},
    {"f32_f64_rp", "cvt.rp.f32.f64 %f13, %d10;" WORD, 3, f32, kF32, FE_UPWARD, false},
    {"f16_f64_rn", "cvt.rn.f16.f64 %h13, %d10;" WIDEN, 3, f16, kF16, FE_TONEAREST, false},
    {"f16_f64_rm", "cvt.rm.f16.f64 %h13, %d10;" WIDEN, 3, f16, kF16, FE_DOWNWARD, false},
    {"f16_f32_rn", "cvt.rn.f16.f32 %h13, %f10;" WIDEN, 2, f16, kF16, FE_TONEAREST, false},
    {"f16_f32_rz", "cvt.rz.f16.f32 %h13, %f10;" WIDEN, 2, f16, kF16, FE_TOWARDZERO, false},
    {"f16_f32_rm", "cvt.rm.f16.f32 %h13, %f10;" WIDEN, 2, f16, kF16, FE_DOWNWARD, false},
    {"f16_f32_rp", "cvt.rp.f16.f32 %h13, %f10;" WIDEN, 2, f16, kF16, FE_UPWARD, false},
    {"f16_f32_satfinite", "cvt.rn.satfinite.f16.f32 %h13, %f10;" WIDEN, 2, f16, kF16, FE_TONEAREST,
     true},
    {"bf16_f32_rn", "cvt.rn.bf16.f32 %h13, %f10;" WIDEN, 2, bf16, kBf16, FE_TONEAREST, false},
    {"bf16_f32_rz", "cvt.rz.bf16.f32 %h13, %f10;" WIDEN, 2, bf16, kBf16, FE_TOWARDZERO, false},
    {"bf16_f32_rm", "cvt.rm.bf16.f32 %h13, %f10;" WIDEN, 2, bf16, kBf16, FE_DOWNWARD, false},
    {"bf16_f32_rp", "cvt.rp.bf16.f32 %h13, %f10;" WIDEN, 2, bf16, kBf16, FE_UPWARD, false},
    {"bf16_f64_rp", "cvt.rp.bf16.f64 %h13, %d10;" WIDEN, 3, bf16, kBf16, FE_UPWARD, false},
    {"tf32_f32_rn", "cvt.rn.tf32.f32 %r20, %f10; cvt.u64.u32 %rd20, %r20;", 2, tf32, kTf32,
     FE_TONEAREST, false},
    {"tf32_f32_rz", "cvt.rz.tf32.f32 %r20, %f10; cvt.u64.u32 %rd20, %r20;", 2, tf32, kTf32,
     FE_TOWARDZERO, false},
    {"f32_f16", "cvt.f32.f16 %f13, %h10;" WORD, 0, f32, kF32, FE_TONEAREST, false},
    {"f64_bf16", "cvt.f64.bf16 %d13, %h10; mov.b64 %rd20, %d13;", 1, f64, kF32, FE_TONEAREST,
     false},
    {"f64_f32", "cvt.f64.f32 %d13, %f10; mov.b64 %rd20, %d13;", 2, f64, kF32, FE_TONEAREST, false},
    {"e4m3_f32", "mov.f32 %f9, 0f00000000; cvt.rn.satfinite.e4m3x2.f32 %h13, %f10, %f9;" WIDEN, 2,
     upper_e4m3, kE4m3, FE_TONEAREST, true},
    {"e5m2_f32", "mov.f32 %f9, 0f3F800000; cvt.rn.satfinite.e5m2x2.f32 %h13, %f9, %f10;" WIDEN, 2,
     lower_e5m2, kE5m2, FE_TONEAREST, true},
    {"e4m3_f16", "mov.b32 %r9, {%h11, %h10}; cvt.rn.satfinite.e4m3x2.f16x2 %h13, %r9;" WIDEN, 0,
     upper_e4m3, kE4m3, FE_TONEAREST, true},
};

class Narrowed : public ::testing::TestWithParam<Narrowing> {};
TEST_P(Narrowed, IsRoundedAsItSays) {
  const Narrowing& test = GetParam();
  const Real& from = kReals[test.from];
  std::vector<Triple> operands =
      triples(from.value == f64 ? f64_edges() : (from.value == f32 ? f32_edges() : edges_of(from)),
              width_of(from));
  // Numbers in the range of the 8-bit formats.
  for (std::size_t i = 1; from.value == f32 && i < operands.size(); i += 3) {
    operands[i][0] = (operands[i][0] & 0x81ffffffU) | 0x3a000000U | (i % 4 << 25);
  }
  const auto got = run_on(test.instruction, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const double number = from.value(operands[i][0]);
    double expected = rounded(number, test.format, test.mode);
    if (test.saturates && std::isinf(expected)) {
      expected = std::copysign(test.format.largest, expected);
    }
    ASSERT_PRED2(same, test.result(got[i]), expected)
        << std::hex << operands[i][0] << ": " << number;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, Narrowed, ::testing::ValuesIn(kNarrowings),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Conversion, OfTheEightBitFormatsToF16IsExact) {
  std::vector<Triple> operands;
  operands.reserve(256);
  for (std::uint64_t byte = 0; byte < 256; ++byte)
    operands.push_back({byte << 8 | (255 - byte), 0, 0});
  const auto four = run_on("cvt.rn.f16x2.e4m3x2 %r20, %h10; cvt.u64.u32 %rd20, %r20;", operands);
  const auto five = run_on("cvt.rn.f16x2.e5m2x2 %r20, %h10; cvt.u64.u32 %rd20, %r20;", operands);
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    EXPECT_PRED2(same, f16(four[byte] >> 16), e4m3(byte)) << byte;
    EXPECT_PRED2(same, f16(four[byte]), e4m3(255 - byte)) << byte;
    EXPECT_PRED2(same, f16(five[byte] >> 16), e5m2(byte)) << byte;
  }
}

TEST(Conversion, RnaRoundsTiesOfTf32AwayFromZero) {
  const auto got = run_on("cvt.rna.tf32.f32 %r20, %f10; cvt.u64.u32 %rd20, %r20;",
                          std::vector<Triple>(256, Triple{0xbf801000, 0, 0}));
  EXPECT_EQ(got[0], 0xbf802000U);
}
TEST(Conversion, SatLimitsToZeroAndOneAndReluToZero) {
  const std::vector<Triple> operands = [] {
    auto all = std::vector<Triple>(256, Triple{0x40000000, 0xbf800000, 0x7fc00000});
    return all;
  }();
  const auto got = run_on(
      "cvt.sat.f32.f32 %f1, %f10; cvt.rn.sat.f16.f32 %h1, %f11; cvt.rn.relu.bf16.f32 %h2, %f11;"
      "cvt.sat.f32.f32 %f2, %f12; cvt.u32.u16 %r1, %h1; cvt.u32.u16 %r2, %h2; or.b32 %r1, %r1, %r2;"
      "mov.b32 %r2, %f2; or.b32 %r1, %r1, %r2; mov.b32 %r2, %f1; mov.b64 %rd20, {%r2, %r1};",
      operands);
  EXPECT_EQ(got[3], 0x3f800000U);
}
TEST(Conversion, FtzFlushesWhatComesInAndWhatGoesOut) {
  const auto got = run_on(
      "cvt.ftz.f32.f32 %f1, %f10; cvt.ftz.f64.f32 %d1, %f10; cvt.rn.ftz.f32.f64 %f2, %d11;"
      "mov.b32 %r1, %f1; mov.b32 %r2, %f2; mov.b64 %rd1, %d1; or.b32 %r1, %r1, %r2;"
      "cvt.u64.u32 %rd20, %r1; or.b64 %rd20, %rd20, %rd1;",
      std::vector<Triple>(256, Triple{0x80000001, 0x3690000000000001, 0}));
  EXPECT_EQ(got[0], 0x8000000080000000U);
}

}  // namespace
}  // namespace emulator::testing
