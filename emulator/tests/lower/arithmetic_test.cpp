// One instruction at a time, on edges and random operands, against the same operation in C++.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

constexpr std::size_t kCount = 1024;

// Integers near every boundary, and random ones.
std::vector<std::uint32_t> integers(unsigned seed) {
  std::vector<std::uint32_t> words = {0,          1,          2,          31,         32,
                                      33,         127,        128,        255,        256,
                                      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
                                      0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x00ff00ff};
  std::mt19937 random(seed);
  while (words.size() < kCount)
    words.push_back(static_cast<std::uint32_t>(random()) >> (random() % 32));
  std::shuffle(words.begin(), words.end(), random);
  return words;
}

std::vector<std::uint32_t> floats(unsigned seed) {
  std::vector<std::uint32_t> words;
  for (const float f :
       {0.0F,     -0.0F,    1.0F,    -1.0F,     0.5F,          1.5F,          2.5F,
        -2.5F,    1e-40F,   -1e-40F, 1e38F,     -1e38F,        3.4e38F,       1e-30F,
        65504.0F, 65520.0F, 6e-8F,   123456.7F, 4294967296.0F, -2147483648.0F}) {
    words.push_back(std::bit_cast<std::uint32_t>(f));
  }
  words.push_back(0x7f800000);  // infinities and NaN
  words.push_back(0xff800000);
  words.push_back(0x7fc00000);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 100);
  while (words.size() < kCount) words.push_back(std::bit_cast<std::uint32_t>(normal(random)));
  std::shuffle(words.begin(), words.end(), random);
  return words;
}

// Runs `instruction` with a in %r1 and b in %r2 (and as floats in %f1, %f2), result in %r3; a is
// the input at the thread's index, b the one 512 places on.
std::vector<std::uint32_t> run(const std::string& instruction,
                               const std::vector<std::uint32_t>& input) {
  const std::string body = R"(
    add.u32 %r50, %r0, 512; and.b32 %r50, %r50, 1023; mul.wide.u32 %rd10, %r50, 4; add.s64 %rd10, %rd2, %rd10;
    ld.global.u32 %r2, [%rd10]; mov.b32 %f1, %r1; mov.b32 %f2, %r2; )" +
                           instruction + " st.global.u32 [%rd1], %r3;";
  const Outcome outcome =
      run_kernel(kernel_of(body), input, kCount, {.grid = {4, 1, 1}, .block = {256, 1, 1}});
  EXPECT_EQ(outcome.fault, "");
  return outcome.words;
}

struct IntegerCase {
  const char* name;
  const char* instruction;
  std::uint32_t (*expected)(std::uint32_t a, std::uint32_t b);
};
void PrintTo(const IntegerCase& c, std::ostream* out) { *out << c.name; }

std::int32_t s(std::uint32_t x) { return static_cast<std::int32_t>(x); }

class IntegerArithmetic : public ::testing::TestWithParam<IntegerCase> {};

TEST_P(IntegerArithmetic, EqualsCxx) {
  const auto input = integers(3);
  const auto got = run(GetParam().instruction, input);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint32_t a = input[i];
    const std::uint32_t b = input[(i + 512) % kCount];
    ASSERT_EQ(got[i], GetParam().expected(a, b)) << std::hex << "a = " << a << ", b = " << b;
  }
}

const IntegerCase kIntegerCases[] = {
    {"add", "add.s32 %r3, %r1, %r2;", [](auto a, auto b) { return a + b; }},
    {"sub", "sub.u32 %r3, %r1, %r2;", [](auto a, auto b) { return a - b; }},
    {"mul_lo", "mul.lo.s32 %r3, %r1, %r2;", [](auto a, auto b) { return a * b; }},
    {"mul_hi_u", "mul.hi.u32 %r3, %r1, %r2;",
     [](auto a, auto b) { return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32); }},
    {"mul_hi_s", "mul.hi.s32 %r3, %r1, %r2;",
     [](auto a, auto b) { return static_cast<std::uint32_t>((std::int64_t{s(a)} * s(b)) >> 32); }},
    {"mad_lo", "mad.lo.s32 %r3, %r1, %r2, 17;", [](auto a, auto b) { return a * b + 17; }},
    {"mul_wide_s", "mul.wide.s32 %rd9, %r1, %r2; shr.u64 %rd9, %rd9, 16; cvt.u32.u64 %r3, %rd9;",
     [](auto a, auto b) {
       return static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::int64_t{s(a)} * s(b)) >>
                                         16);
     }},
    {"div_u", "div.u32 %r3, %r1, %r2;", [](auto a, auto b) { return b == 0 ? 0xffffffff : a / b; }},
    {"div_s", "div.s32 %r3, %r1, %r2;",
     [](auto a, auto b) {
       if (b == 0) return 0xffffffffU;
       return b == 0xffffffff ? 0 - a : static_cast<std::uint32_t>(s(a) / s(b));
     }},
    {"rem_u", "rem.u32 %r3, %r1, %r2;", [](auto a, auto b) { return b == 0 ? ~0U : a % b; }},
    {"rem_s", "rem.s32 %r3, %r1, %r2;",
     [](auto a, auto b) {
       if (b == 0) return ~0U;
       return b == 0xffffffff ? 0 : static_cast<std::uint32_t>(s(a) % s(b));
     }},
    {"abs", "abs.s32 %r3, %r1;", [](auto a, auto) { return s(a) < 0 ? 0 - a : a; }},
    {"neg", "neg.s32 %r3, %r1;", [](auto a, auto) { return 0 - a; }},
    {"min_s", "min.s32 %r3, %r1, %r2;", [](auto a, auto b) { return s(a) < s(b) ? a : b; }},
    {"max_u", "max.u32 %r3, %r1, %r2;", [](auto a, auto b) { return a > b ? a : b; }},
    {"sad", "sad.u32 %r3, %r1, %r2, 5;",
     [](auto a, auto b) { return (a > b ? a - b : b - a) + 5; }},
    {"add_sat", "add.sat.s32 %r3, %r1, %r2;",
     [](auto a, auto b) {
       const std::int64_t sum = std::int64_t{s(a)} + s(b);
       return static_cast<std::uint32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
     }},
    {"add_carry", "add.cc.u32 %r4, %r1, %r2; addc.u32 %r3, %r1, 0;",
     [](auto a, auto b) { return a + static_cast<std::uint32_t>((std::uint64_t{a} + b) >> 32); }},
    {"sub_borrow", "sub.cc.u32 %r4, %r1, %r2; subc.u32 %r3, %r2, 0;",
     [](auto a, auto b) { return b - (a < b ? 1 : 0); }},
    {"and", "and.b32 %r3, %r1, %r2;", [](auto a, auto b) { return a & b; }},
    {"or", "or.b32 %r3, %r1, %r2;", [](auto a, auto b) { return a | b; }},
    {"xor", "xor.b32 %r3, %r1, %r2;", [](auto a, auto b) { return a ^ b; }},
    {"not", "not.b32 %r3, %r1;", [](auto a, auto) { return ~a; }},
    {"cnot", "cnot.b32 %r3, %r1;", [](auto a, auto) { return a == 0 ? 1U : 0U; }},
    {"shl", "shl.b32 %r3, %r1, %r2;", [](auto a, auto b) { return b > 31 ? 0 : a << b; }},
    {"shr_u", "shr.u32 %r3, %r1, %r2;", [](auto a, auto b) { return b > 31 ? 0 : a >> b; }},
    {"shr_s", "shr.s32 %r3, %r1, %r2;",
     [](auto a, auto b) { return static_cast<std::uint32_t>(s(a) >> (b > 31 ? 31 : b)); }},
    {"shf_l_wrap", "shf.l.wrap.b32 %r3, %r1, %r2, %r1;",
     [](auto a, auto b) {
       return static_cast<std::uint32_t>(((std::uint64_t{b} << 32 | a) << (a & 31)) >> 32);
     }},
    {"shf_r_clamp", "shf.r.clamp.b32 %r3, %r1, %r2, %r1;",
     [](auto a, auto b) {
       return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> (a > 32 ? 32 : a));
     }},
    {"bfe_u",
     "and.b32 %r4, %r2, 31; shr.u32 %r5, %r2, 8; and.b32 %r5, %r5, 31; bfe.u32 %r3, %r1, %r4, %r5;",
     [](auto a, auto b) {
       const std::uint64_t shifted = std::uint64_t{a} >> (b & 31);
       return static_cast<std::uint32_t>(shifted & ((std::uint64_t{1} << ((b >> 8) & 31)) - 1));
     }},
    {"bfe_s", "bfe.s32 %r3, %r1, 4, 9;",
     [](auto a, auto) { return static_cast<std::uint32_t>(s(a << 19) >> 23); }},
    {"bfi", "bfi.b32 %r3, %r1, %r2, 5, 11;",
     [](auto a, auto b) {
       const std::uint32_t mask = 0x7ffU << 5;
       return (b & ~mask) | ((a << 5) & mask);
     }},
    {"brev", "brev.b32 %r3, %r1;",
     [](auto a, auto) {
       std::uint32_t r = 0;
       for (int i = 0; i < 32; ++i) r |= ((a >> i) & 1U) << (31 - i);
       return r;
     }},
    {"popc", "popc.b32 %r3, %r1;",
     [](auto a, auto) { return static_cast<std::uint32_t>(std::popcount(a)); }},
    {"clz", "clz.b32 %r3, %r1;",
     [](auto a, auto) { return static_cast<std::uint32_t>(std::countl_zero(a)); }},
    {"bfind_u", "bfind.u32 %r3, %r1;",
     [](auto a, auto) {
       return a == 0 ? 0xffffffff : 31U - static_cast<std::uint32_t>(std::countl_zero(a));
     }},
    {"bfind_s", "bfind.s32 %r3, %r1;",
     [](auto a, auto) {
       const std::uint32_t x = s(a) < 0 ? ~a : a;
       return x == 0 ? 0xffffffff : 31U - static_cast<std::uint32_t>(std::countl_zero(x));
     }},
    {"prmt", "prmt.b32 %r3, %r1, %r2, 0x7a14;",
     [](auto a, auto b) {
       const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
       const auto byte = [&](unsigned i) {
         return static_cast<std::uint32_t>((bytes >> (8 * i)) & 255U);
       };
       const std::uint32_t sign = (byte(2) & 0x80U) != 0 ? 255U : 0U;  // selector 0xa
       return byte(4) | byte(1) << 8 | sign << 16 | byte(7) << 24;
     }},
    {"lop3", "lop3.b32 %r3, %r1, %r2, 0x0f0f3355, 0x96;",
     [](auto a, auto b) { return a ^ b ^ 0x0f0f3355U; }},
    {"dp4a", "dp4a.s32.s32 %r3, %r1, %r2, 100;",
     [](auto a, auto b) {
       std::uint32_t sum = 100;
       for (int i = 0; i < 4; ++i) {
         const auto x = static_cast<std::int8_t>(a >> (8 * i));
         const auto y = static_cast<std::int8_t>(b >> (8 * i));
         sum += static_cast<std::uint32_t>(x * y);
       }
       return sum;
     }},
    {"set", "set.lt.u32.s32 %r3, %r1, %r2;",
     [](auto a, auto b) { return s(a) < s(b) ? 0xffffffffU : 0U; }},
    {"selp", "setp.gt.u32 %p1, %r1, %r2; selp.b32 %r3, %r1, 7, %p1;",
     [](auto a, auto b) { return a > b ? a : 7; }},
    {"setp_pair",
     "setp.le.and.s32 %p1|%p2, %r1, %r2, 1; selp.u32 %r4, 2, 0, %p1; selp.u32 %r5, 1, 0, %p2; "
     "add.u32 %r3, %r4, %r5;",
     [](auto a, auto b) { return s(a) <= s(b) ? 2U : 1U; }},
    {"slct", "slct.b32.s32 %r3, %r1, 9, %r2;", [](auto a, auto b) { return s(b) >= 0 ? a : 9; }},
    {"cvt_s8", "cvt.s32.s8 %r3, %r1;",
     [](auto a, auto) { return static_cast<std::uint32_t>(static_cast<std::int8_t>(a)); }},
    {"cvt_sat", "cvt.sat.u8.s32 %r3, %r1;",
     [](auto a, auto) { return static_cast<std::uint32_t>(std::clamp(s(a), 0, 255)); }},
    {"mov_pack", "mov.b32 {%h1, %h2}, %r1; mov.b32 %r3, {%h2, %h1};",
     [](auto a, auto) { return a << 16 | a >> 16; }},
    {"u16", "mov.b32 {%h1, %h2}, %r1; mul.lo.u16 %h3, %h1, %h2; cvt.u32.u16 %r3, %h3;",
     [](auto a, auto) { return ((a & 0xffffU) * (a >> 16)) & 0xffffU; }},
};
INSTANTIATE_TEST_SUITE_P(Each, IntegerArithmetic, ::testing::ValuesIn(kIntegerCases),
                         [](const auto& test) { return std::string(test.param.name); });

struct FloatCase {
  const char* name;
  const char* instruction;
  float (*expected)(float a, float b);
  float tolerance;  // relative; 0: the same bits, or both NaN
};
void PrintTo(const FloatCase& c, std::ostream* out) { *out << c.name; }

class FloatArithmetic : public ::testing::TestWithParam<FloatCase> {};

TEST_P(FloatArithmetic, EqualsCxx) {
  const auto input = floats(5);
  const auto got = run(std::string(GetParam().instruction) + " mov.b32 %r3, %f3;", input);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto a = std::bit_cast<float>(input[i]);
    const auto b = std::bit_cast<float>(input[(i + 512) % kCount]);
    const float expected = GetParam().expected(a, b);
    const auto value = std::bit_cast<float>(got[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << a << ", " << b;
    } else if (GetParam().tolerance == 0) {
      ASSERT_EQ(got[i], std::bit_cast<std::uint32_t>(expected))
          << a << ", " << b << " give " << value;
    } else if (std::isinf(expected)) {
      ASSERT_EQ(value, expected) << a << ", " << b;
    } else {
      ASSERT_LE(std::abs(value - expected), GetParam().tolerance * std::abs(expected) + 1e-38F)
          << a << ", " << b;
    }
  }
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }
float bf16_of(float x) {
  if (std::isnan(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>(((bits + 0x7fff + ((bits >> 16) & 1U)) >> 16) << 16);
}

const FloatCase kFloatCases[] = {
    {"add", "add.f32 %f3, %f1, %f2;", [](float a, float b) { return a + b; }, 0},
    {"sub", "sub.rn.f32 %f3, %f1, %f2;", [](float a, float b) { return a - b; }, 0},
    {"mul", "mul.f32 %f3, %f1, %f2;", [](float a, float b) { return a * b; }, 0},
    {"fma", "fma.rn.f32 %f3, %f1, %f2, %f1;", [](float a, float b) { return std::fma(a, b, a); },
     0},
    {"div", "div.rn.f32 %f3, %f1, %f2;", [](float a, float b) { return a / b; }, 0},
    {"sqrt", "sqrt.rn.f32 %f3, %f1;", [](float a, float) { return std::sqrt(a); }, 0},
    {"rcp", "rcp.rn.f32 %f3, %f1;", [](float a, float) { return 1.0F / a; }, 0},
    {"rsqrt", "rsqrt.approx.f32 %f3, %f1;", [](float a, float) { return 1.0F / std::sqrt(a); },
     4e-7F},
    {"add_ftz", "add.ftz.f32 %f3, %f1, %f2;",
     [](float a, float b) { return flushed(flushed(a) + flushed(b)); }, 0},
    {"add_sat", "add.sat.f32 %f3, %f1, %f2;",
     [](float a, float b) {
       return std::isnan(a + b) ? 0.0F : std::clamp(a + b, 0.0F, 1.0F) + 0.0F;
     },
     0},
    {"neg", "neg.f32 %f3, %f1;", [](float a, float) { return -a; }, 0},
    {"abs", "abs.f32 %f3, %f1;", [](float a, float) { return std::abs(a); }, 0},
    {"copysign", "copysign.f32 %f3, %f1, %f2;",
     [](float a, float b) { return std::copysign(b, a); }, 0},
    {"min", "min.f32 %f3, %f1, %f2;",
     [](float a, float b) {
       if (a == b) return std::signbit(a) ? a : b;
       return std::fmin(a, b);
     },
     0},
    {"max", "max.f32 %f3, %f1, %f2;",
     [](float a, float b) {
       if (a == b) return std::signbit(a) ? b : a;
       return std::fmax(a, b);
     },
     0},
    {"min_nan", "min.NaN.f32 %f3, %f1, %f2;",
     [](float a, float b) {
       if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
       if (a == b) return std::signbit(a) ? a : b;
       return std::fmin(a, b);
     },
     0},
    {"ex2", "ex2.approx.f32 %f3, %f1;", [](float a, float) { return std::exp2(a); }, 1e-6F},
    {"lg2", "lg2.approx.f32 %f3, %f1;", [](float a, float) { return std::log2(a); }, 1e-6F},
    {"tanh", "tanh.approx.f32 %f3, %f1;", [](float a, float) { return std::tanh(a); }, 1e-5F},
    {"sin", "sin.approx.f32 %f3, %f1;", [](float a, float) { return std::sin(a); }, 1e-6F},
    {"rni", "cvt.rni.f32.f32 %f3, %f1;", [](float a, float) { return std::nearbyint(a); }, 0},
    {"rzi", "cvt.rzi.f32.f32 %f3, %f1;", [](float a, float) { return std::trunc(a); }, 0},
    {"rmi", "cvt.rmi.f32.f32 %f3, %f1;", [](float a, float) { return std::floor(a); }, 0},
    {"to_bf16", "cvt.rn.bf16.f32 %h1, %f1; cvt.f32.bf16 %f3, %h1;",
     [](float a, float) { return bf16_of(a); }, 0},
    {"to_f16", "cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f3, %h1;",
     [](float a, float) { return static_cast<float>(static_cast<_Float16>(a)); }, 0},
    {"bf16_pair",
     "cvt.rn.bf16x2.f32 %r4, %f1, %f2; mov.b32 {%h1, %h2}, %r4; cvt.f32.bf16 %f3, %h2;",
     [](float a, float) { return bf16_of(a); }, 0},
    {"bf16_mul",
     "cvt.rn.bf16.f32 %h1, %f1; cvt.rn.bf16.f32 %h2, %f2; mul.bf16 %h3, %h1, %h2; cvt.f32.bf16 "
     "%f3, %h3;",
     [](float a, float b) { return bf16_of(bf16_of(a) * bf16_of(b)); }, 0},
    {"f64",
     "cvt.f64.f32 %d1, %f1; cvt.f64.f32 %d2, %f2; fma.rn.f64 %d3, %d1, %d2, %d1; cvt.rn.f32.f64 "
     "%f3, %d3;",
     [](float a, float b) { return static_cast<float>(std::fma(double{a}, double{b}, double{a})); },
     0},
    {"to_integer", "cvt.rzi.s32.f32 %r5, %f1; cvt.rn.f32.s32 %f3, %r5;",
     [](float a, float) {
       if (std::isnan(a)) return 0.0F;
       const double clamped = std::clamp(std::trunc(double{a}), -2147483648.0, 2147483647.0);
       return static_cast<float>(static_cast<std::int32_t>(clamped));
     },
     0},
    {"compare",
     "setp.lt.f32 %p1, %f1, %f2; setp.geu.f32 %p2, %f1, %f2; selp.f32 %f4, 0f40000000, 0f00000000, "
     "%p1; "
     "selp.f32 %f5, 0f3F800000, 0f00000000, %p2; add.f32 %f3, %f4, %f5;",
     [](float a, float b) { return a < b ? 2.0F : 1.0F; }, 0},
};
INSTANTIATE_TEST_SUITE_P(Each, FloatArithmetic, ::testing::ValuesIn(kFloatCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Arithmetic, AnInstructionTheEmulatorLacksIsRefusedWithItsLine) {
  const std::string ptx = kernel_of("fma.rn.ftz.oob.f16 %h1, %h2, %h3, %h4;");
  try {
    static_cast<void>(run_kernel(ptx, {1}, 32));
    FAIL() << "accepted";
  } catch (const ptx::Error& error) {
    EXPECT_NE(std::string(error.what()).find("fma.rn.ftz.oob.f16"), std::string::npos);
    EXPECT_EQ(error.where().line, 23U) << ptx;
  }
}

}  // namespace
}  // namespace emulator::testing
