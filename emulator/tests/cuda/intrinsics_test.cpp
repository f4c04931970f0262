// What CUDA's headers offer for one thread: integer and rounding intrinsics bit by bit, the
// mathematical functions within the error that CUDA documents.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>

#include "cuda_program.h"

namespace emulator::api {
namespace {

constexpr std::size_t kCount = 256;

// One result of the kernel: `expression` of a, b, c (unsigned), x, y, z (float of the same bits),
// or p, q (double).
template <typename T, typename... Operands>
struct Row {
  const char* expression;
  T (*expected)(Operands...);
  double units = 0;  // of the last place, that the result may differ by
};

template <typename T, typename R>
std::string kernel_of(const char* result_type, const R& rows) {
  std::string code;
  std::size_t index = 0;
  for (const auto& row : rows) {
    code += "  out[" + std::to_string(index++ * kCount) + " + i] = " + row.expression + ";\n";
  }
  return std::string("extern \"C\" __global__ void f(const unsigned* in, ") + result_type +
         "* out) {\n  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];\n"
         "  const float x = __uint_as_float(a), y = __uint_as_float(b), z = __uint_as_float(c);\n"
         "  const double p = __hiloint2double(a, c), q = __hiloint2double(b, a);\n" +
         code + "}\n";
}

std::uint32_t word(float x) { return std::bit_cast<std::uint32_t>(x); }

std::vector<std::uint32_t> integers() {
  std::vector<std::uint32_t> words = {0,    1,      31,         32,         33,         255,
                                      256,  0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                                      0xff, 0x80,   0x00ff00ff, 0x01234567};
  std::mt19937 random(1);
  while (words.size() < 3 * kCount) {
    words.push_back(static_cast<std::uint32_t>(random()) >> (random() % 32));
  }
  std::shuffle(words.begin(), words.end(), random);
  return words;
}
std::vector<std::uint32_t> floats() {
  std::vector<std::uint32_t> words;
  for (const float f : {0.0F, -0.0F, 1.0F, -1.0F, 0.5F, 1e-40F, -1e-40F, 1e38F, -3e38F, 2.5F, -2.5F,
                        2147483648.0F, -2147483648.0F, 4294967296.0F, INFINITY, -INFINITY, NAN}) {
    words.push_back(word(f));
    words.push_back(word(f));
  }
  std::mt19937 random(2);
  std::normal_distribution<float> normal(0, 30);
  while (words.size() < 3 * kCount) words.push_back(word(normal(random)));
  std::shuffle(words.begin(), words.end(), random);
  return words;
}
// Numbers whose functions are neither zero nor infinite.
std::vector<std::uint32_t> moderate() {
  std::vector<std::uint32_t> words;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> numbers(0.01F, 9.0F);
  while (words.size() < 3 * kCount) words.push_back(word(numbers(random)));
  return words;
}

using Intrinsics = CudaProgram;

using IntegerRow = Row<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
using U = std::uint32_t;
using S = std::int32_t;
using UL = std::uint64_t;
using SL = std::int64_t;

const IntegerRow kIntegers[] = {
    {"__byte_perm(a, b, c)",
     [](U a, U b, U c) {
       U r = 0;
       for (unsigned i = 0; i < 4; ++i) {
         const unsigned pick = (c >> (4 * i)) & 7U;
         r |= static_cast<unsigned>(((UL{b} << 32 | a) >> (8 * pick)) & 255U) << (8 * i);
       }
       return r;
     }},
    {"__funnelshift_l(a, b, c)",
     [](U a, U b, U c) { return static_cast<U>(((UL{b} << 32 | a) << (c & 31U)) >> 32); }},
    {"__funnelshift_lc(a, b, c)",
     [](U a, U b, U c) { return c >= 32 ? a : static_cast<U>(((UL{b} << 32 | a) << c) >> 32); }},
    {"__funnelshift_r(a, b, c)",
     [](U a, U b, U c) { return static_cast<U>((UL{b} << 32 | a) >> (c & 31U)); }},
    {"__funnelshift_rc(a, b, c)",
     [](U a, U b, U c) { return static_cast<U>((UL{b} << 32 | a) >> std::min(c, 32U)); }},
    {"__ffs(a)", [](U a, U, U) { return a == 0 ? 0 : 1U + static_cast<U>(std::countr_zero(a)); }},
    {"__ffsll((unsigned long long)a << 32)",
     [](U a, U, U) { return a == 0 ? 0 : 33U + static_cast<U>(std::countr_zero(a)); }},
    {"__brev(a)",
     [](U a, U, U) {
       U r = 0;
       for (int i = 0; i < 32; ++i) r |= ((a >> i) & 1U) << (31 - i);
       return r;
     }},
    {"__clz(a)", [](U a, U, U) { return static_cast<U>(std::countl_zero(a)); }},
    {"__popcll(((unsigned long long)a << 32) | b)",
     [](U a, U b, U) { return static_cast<U>(std::popcount(a) + std::popcount(b)); }},
    {"__dp4a(a, b, c)",
     [](U a, U b, U c) {
       for (int i = 0; i < 32; i += 8) c += ((a >> i) & 255U) * ((b >> i) & 255U);
       return c;
     }},
    {"__dp4a((int)a, (int)b, (int)c)",
     [](U a, U b, U c) {
       for (int i = 0; i < 32; i += 8) {
         c += static_cast<U>(static_cast<std::int8_t>(a >> i) * static_cast<std::int8_t>(b >> i));
       }
       return c;
     }},
    {"__dp2a_lo((int)a, (int)b, (int)c)",
     [](U a, U b, U c) {
       for (int i = 0; i < 2; ++i) {
         c += static_cast<U>(static_cast<std::int16_t>(a >> (16 * i)) *
                             static_cast<std::int8_t>(b >> (8 * i)));
       }
       return c;
     }},
    {"__mul24((int)a, (int)b)",
     [](U a, U b, U) { return static_cast<U>((S(a << 8) >> 8) * SL{S(b << 8) >> 8}); }},
    {"__umulhi(a, b)", [](U a, U b, U) { return static_cast<U>((UL{a} * b) >> 32); }},
    {"__mulhi((int)a, (int)b)",
     [](U a, U b, U) { return static_cast<U>((SL{S(a)} * S(b)) >> 32); }},
    {"__usad(a, b, c)", [](U a, U b, U c) { return (a > b ? a - b : b - a) + c; }},
    {"__sad((int)a, (int)b, c)", [](U a, U b, U c) { return (S(a) > S(b) ? a - b : b - a) + c; }},
    {"__uhadd(a, b)", [](U a, U b, U) { return static_cast<U>((UL{a} + b) >> 1); }},
    {"__urhadd(a, b)", [](U a, U b, U) { return static_cast<U>((UL{a} + b + 1) >> 1); }},
    {"__vadd4(a, b)",
     [](U a, U b, U) {
       U r = 0;
       for (int i = 0; i < 32; i += 8) r |= (((a >> i) + (b >> i)) & 255U) << i;
       return r;
     }},
    {"__vmaxs2(a, b)",
     [](U a, U b, U) {
       const auto part = [&](int i) {
         return U{static_cast<std::uint16_t>(
             std::max(static_cast<std::int16_t>(a >> i), static_cast<std::int16_t>(b >> i)))};
       };
       return part(0) | part(16) << 16;
     }},
    {"__viaddmax_s32(a, b, c)",
     [](U a, U b, U c) {
       return static_cast<U>(std::max(static_cast<S>(a + b), static_cast<S>(c)));
     }},
    {"a / (b | 1)", [](U a, U b, U) { return a / (b | 1U); }},
    {"(unsigned)((int)a % (int)(b | 1))",
     [](U a, U b, U) { return b == ~0U ? 0 : static_cast<U>(S(a) % S(b | 1U)); }},
    {"(unsigned)(((unsigned long long)a << 32 | b) / (c | 1))",
     [](U a, U b, U c) { return static_cast<U>((UL{a} << 32 | b) / (c | 1U)); }},
    {"(unsigned)(((long long)a * b * c) >> 20)",
     [](U a, U b, U c) { return static_cast<U>(static_cast<SL>(UL{a} * b * c) >> 20); }},
    {"__fns(a, b & 31, 2)",
     [](U a, U b, U) {
       U left = 2;
       for (U i = b & 31U; i < 32; ++i) {
         if (((a >> i) & 1U) != 0 && --left == 0) return i;
       }
       return ~0U;
     }},
    {"(unsigned)__umul64hi((unsigned long long)a << 32, (unsigned long long)b << 32)",
     [](U a, U b, U) { return static_cast<U>(UL{a} * b); }},
};

TEST_F(Intrinsics, OfIntegersGiveTheirBits) {
  const auto input = integers();
  const auto got = run(kernel_of<U>("unsigned", kIntegers), input, kCount * std::size(kIntegers),
                       {.grid = 4, .block = 64});
  for (std::size_t r = 0; r < std::size(kIntegers); ++r) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const U a = input[3 * i];
      const U b = input[3 * i + 1];
      const U c = input[3 * i + 2];
      ASSERT_EQ(got[r * kCount + i], kIntegers[r].expected(a, b, c))
          << kIntegers[r].expression << std::hex << " of " << a << ", " << b << ", " << c;
    }
  }
}

// Evaluated by the host in a rounding mode.
template <typename T, typename Compute>
[[gnu::noinline]] T in_mode(int mode, Compute compute) {
  const int before = std::fegetround();
  std::fesetround(mode);
  const volatile T result = compute();
  std::fesetround(before);
  return result;
}
template <typename T>
T kept(T value) {  // the compiler may not compute with it ahead of time
  const volatile T v = value;
  return v;
}
U converted(double whole, double low, double high) {
  return static_cast<U>(static_cast<SL>(std::isnan(whole) ? 0 : std::clamp(whole, low, high)));
}

using FloatRow = Row<std::uint32_t, float, float, float>;
const FloatRow kFloats[] = {
    {"__float_as_uint(__fadd_rz(x, y))",
     [](float x, float y, float) {
       return word(in_mode<float>(FE_TOWARDZERO, [&] { return kept(x) + kept(y); }));
     }},
    {"__float_as_uint(__fadd_rd(x, y))",
     [](float x, float y, float) {
       return word(in_mode<float>(FE_DOWNWARD, [&] { return kept(x) + kept(y); }));
     }},
    {"__float_as_uint(__fmul_rz(x, y))",
     [](float x, float y, float) {
       return word(in_mode<float>(FE_TOWARDZERO, [&] { return kept(x) * kept(y); }));
     }},
    {"__float_as_uint(__fmaf_ru(x, y, z))",
     [](float x, float y, float z) {
       return word(in_mode<float>(FE_UPWARD, [&] { return std::fma(kept(x), kept(y), kept(z)); }));
     }},
    {"__float_as_uint(__fdiv_rd(x, y))",
     [](float x, float y, float) {
       return word(in_mode<float>(FE_DOWNWARD, [&] { return kept(x) / kept(y); }));
     }},
    {"__float_as_uint(__frcp_ru(x))",
     [](float x, float, float) {
       return word(in_mode<float>(FE_UPWARD, [&] { return kept(1.0F) / kept(x); }));
     }},
    {"__float_as_uint(__fsqrt_rz(x))",
     [](float x, float, float) {
       return word(in_mode<float>(FE_TOWARDZERO, [&] { return std::sqrt(kept(x)); }));
     }},
    {"__float_as_uint(x / y)", [](float x, float y, float) { return word(x / y); }},
    {"__float_as_uint(sqrtf(x))", [](float x, float, float) { return word(std::sqrt(x)); }},
    {"(unsigned)__float2int_rd(x)",
     [](float x, float, float) { return converted(std::floor(x), INT32_MIN, INT32_MAX); }},
    {"__float2uint_ru(x)",
     [](float x, float, float) { return converted(std::ceil(x), 0, UINT32_MAX); }},
    {"(unsigned)__float2int_rn(x)",
     [](float x, float, float) { return converted(std::nearbyint(x), INT32_MIN, INT32_MAX); }},
    {"(unsigned)(__float2ll_rz(x) >> 1)",
     [](float x, float, float) {
       if (std::isnan(x)) return 0U;
       if (x >= 9.3e18F) return 0xffffffffU;
       return x <= -9.3e18F ? 0U : static_cast<U>(static_cast<SL>(std::trunc(x)) >> 1);
     }},
    {"__float_as_uint(__int2float_rz((int)__float_as_uint(x)))",
     [](float x, float, float) {
       return word(
           in_mode<float>(FE_TOWARDZERO, [&] { return static_cast<float>(kept(S(word(x)))); }));
     }},
    {"__float_as_uint(__ull2float_ru((unsigned long long)__float_as_uint(x) << 31))",
     [](float x, float, float) {
       return word(
           in_mode<float>(FE_UPWARD, [&] { return static_cast<float>(kept(SL{word(x)} << 31)); }));
     }},
    {"__float_as_uint(__saturatef(x))",
     [](float x, float, float) {
       return std::isnan(x) ? 0U : word(std::clamp(x, 0.0F, 1.0F) + 0.0F);
     }},
    {"__float_as_uint(rintf(x))", [](float x, float, float) { return word(std::nearbyint(x)); }},
    {"__float_as_uint(roundf(x))", [](float x, float, float) { return word(std::round(x)); }},
    {"__float_as_uint(truncf(x) + ceilf(y))",
     [](float x, float y, float) { return word(std::trunc(x) + std::ceil(y)); }},
    {"__float_as_uint(copysignf(x, y))",
     [](float x, float y, float) { return word(std::copysign(x, y)); }},
    {"__float_as_uint(fmaf(x, y, z))",
     [](float x, float y, float z) { return word(std::fma(x, y, z)); }},
    {"__float_as_uint(fminf(x, y) + fmaxf(x, z))",
     [](float x, float y, float z) { return word(std::fmin(x, y) + std::fmax(x, z)); }},
    {"isnan(x) + 2 * isinf(y) + 4 * signbit(z)",
     [](float x, float y, float z) {
       return (std::isnan(x) ? 1U : 0U) + (std::isinf(y) ? 2U : 0U) + (std::signbit(z) ? 4U : 0U);
     }},
    {"__float_as_uint(ldexpf(x, 3))", [](float x, float, float) { return word(std::ldexp(x, 3)); }},
    {"(unsigned)ilogbf(x)",
     [](float x, float, float) {
       if (x == 0 || std::isnan(x)) return 0x80000000U;
       return std::isinf(x) ? 0x7fffffffU : static_cast<U>(std::ilogb(x));
     }},
    {"__float_as_uint(fmodf(x, y))", [](float x, float y, float) { return word(std::fmod(x, y)); }},
};

TEST_F(Intrinsics, OfFloatsGiveTheirBits) {
  const auto input = floats();
  const auto got = run(kernel_of<U>("unsigned", kFloats), input, kCount * std::size(kFloats),
                       {.grid = 4, .block = 64});
  for (std::size_t r = 0; r < std::size(kFloats); ++r) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto value = [&](std::size_t n) { return std::bit_cast<float>(input[3 * i + n]); };
      const U expected = kFloats[r].expected(value(0), value(1), value(2));
      const U found = got[r * kCount + i];
      // The bits of a NaN are not those of the host.
      const bool both_nan =
          std::isnan(std::bit_cast<float>(expected)) && std::isnan(std::bit_cast<float>(found));
      ASSERT_TRUE(found == expected || both_nan)
          << kFloats[r].expression << " of " << value(0) << ", " << value(1) << ", " << value(2)
          << " is " << std::hex << found << ", not " << expected;
    }
  }
}

// The units are those of the CUDA C++ Programming Guide; the last ones are absolute errors there
// and are given for operands between 0.01 and 9.
using FunctionRow = Row<double, double, double>;
const FunctionRow kFloatFunctions[] = {
    {"sinf(x)", [](double x, double) { return std::sin(x); }, 2},
    {"cosf(x)", [](double x, double) { return std::cos(x); }, 2},
    {"tanf(x)", [](double x, double) { return std::tan(x); }, 4},
    {"expf(x)", [](double x, double) { return std::exp(x); }, 1},
    {"exp2f(x)", [](double x, double) { return std::exp2(x); }, 2},
    {"exp10f(x)", [](double x, double) { return std::pow(10, x); }, 2},
    {"expm1f(x)", [](double x, double) { return std::expm1(x); }, 1},
    {"logf(x)", [](double x, double) { return std::log(x); }, 1},
    {"log2f(x)", [](double x, double) { return std::log2(x); }, 1},
    {"log10f(x)", [](double x, double) { return std::log10(x); }, 2},
    {"log1pf(x)", [](double x, double) { return std::log1p(x); }, 1},
    {"powf(x, y)", [](double x, double y) { return std::pow(x, y); }, 4},
    {"tanhf(x)", [](double x, double) { return std::tanh(x); }, 1},
    {"sinhf(x)", [](double x, double) { return std::sinh(x); }, 3},
    {"coshf(x)", [](double x, double) { return std::cosh(x); }, 2},
    {"atanf(x)", [](double x, double) { return std::atan(x); }, 2},
    {"atan2f(x, y)", [](double x, double y) { return std::atan2(x, y); }, 3},
    {"asinf(x / 9)",
     [](double x, double) { return std::asin(double{static_cast<float>(x) / 9.0F}); }, 4},
    {"erff(x)", [](double x, double) { return std::erf(x); }, 2},
    {"erfcf(x)", [](double x, double) { return std::erfc(x); }, 4},
    {"lgammaf(x + 3)",
     [](double x, double) { return std::lgamma(double{static_cast<float>(x) + 3.0F}); }, 6},
    {"tgammaf(x)", [](double x, double) { return std::tgamma(x); }, 5},
    {"cbrtf(x)", [](double x, double) { return std::cbrt(x); }, 1},
    {"rsqrtf(x)", [](double x, double) { return 1 / std::sqrt(x); }, 2},
    {"hypotf(x, y)", [](double x, double y) { return std::hypot(x, y); }, 3},
    {"__expf(x)", [](double x, double) { return std::exp(x); }, 2 + 1.173 * 9},
    {"__powf(x, y)", [](double x, double y) { return std::pow(x, y); }, 200},
    {"__fdividef(x, y)", [](double x, double y) { return x / y; }, 2},
    {"__exp10f(x)", [](double x, double) { return std::pow(10, x); }, 2 + 2.97 * 9},
    {"sinpif(x)", [](double x, double) { return std::sin(M_PI * std::fmod(x, 2)); }, 60},
};
const FunctionRow kDoubleFunctions[] = {
    {"sin((double)x)", [](double x, double) { return std::sin(x); }, 2},
    {"cos((double)x)", [](double x, double) { return std::cos(x); }, 2},
    {"sin((double)x * 1e7)", [](double x, double) { return std::sin(x * 1e7); }, 2},
    {"tan((double)x)", [](double x, double) { return std::tan(x); }, 2},
    {"exp((double)x)", [](double x, double) { return std::exp(x); }, 1.5},
    {"log((double)x)", [](double x, double) { return std::log(x); }, 1.5},
    {"pow((double)x, (double)y)", [](double x, double y) { return std::pow(x, y); }, 2},
    {"sqrt((double)x)", [](double x, double) { return std::sqrt(x); }, 0},
    {"(double)x / y", [](double x, double y) { return x / y; }, 0},
    {"rsqrt((double)x)", [](double x, double) { return 1 / std::sqrt(x); }, 2},
    {"cbrt((double)x)", [](double x, double) { return std::cbrt(x); }, 2},
    {"tanh((double)x)", [](double x, double) { return std::tanh(x); }, 2},
    {"erf((double)x)", [](double x, double) { return std::erf(x); }, 3},
    {"atan2((double)x, (double)y)", [](double x, double y) { return std::atan2(x, y); }, 2.5},
    {"fmod((double)x * 1000, (double)y)", [](double x, double y) { return std::fmod(x * 1000, y); },
     0},
    {"__dmul_rz(x, 1.1)",
     [](double x, double) {
       return in_mode<double>(FE_TOWARDZERO, [&] { return kept(x) * kept(1.1); });
     },
     0},
    {"__dadd_ru(x, 1e-20)",
     [](double x, double) {
       return in_mode<double>(FE_UPWARD, [&] { return kept(x) + kept(1e-20); });
     },
     0},
    {"__fma_rd(x, y, 1e-20)",
     [](double x, double y) {
       return in_mode<double>(FE_DOWNWARD, [&] { return std::fma(kept(x), kept(y), kept(1e-20)); });
     },
     0},
    {"__ddiv_rd(x, y)",
     [](double x, double y) {
       return in_mode<double>(FE_DOWNWARD, [&] { return kept(x) / kept(y); });
     },
     0},
    {"(double)__double2float_rd((double)x / y)",
     [](double x, double y) {
       return double{in_mode<float>(FE_DOWNWARD, [&] { return static_cast<float>(kept(x / y)); })};
     },
     0},
    {"(double)__double2ll_rn((double)x * 1e17)",
     [](double x, double) { return static_cast<double>(std::llrint(x * 1e17)); }, 0},
    {"(double)norm3d((double)x, (double)y, 2.0)",
     [](double x, double y) { return std::hypot(x, y, 2.0); }, 2},
};

double unit_of(double value, int digits) { return std::ldexp(1, std::ilogb(value) - digits + 1); }

TEST_F(Intrinsics, TheMathematicalFunctionsOfFloatsKeepTheirDocumentedError) {
  const auto input = moderate();
  const auto got = run(kernel_of<float>("float", kFloatFunctions), input,
                       kCount * std::size(kFloatFunctions), {.grid = 4, .block = 64});
  for (std::size_t r = 0; r < std::size(kFloatFunctions); ++r) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double x = std::bit_cast<float>(input[3 * i]);
      const double y = std::bit_cast<float>(input[3 * i + 1]);
      const double expected = kFloatFunctions[r].expected(x, y);
      const double found = std::bit_cast<float>(got[r * kCount + i]);
      ASSERT_LE(std::abs(found - expected),
                (kFloatFunctions[r].units + 0.5) * unit_of(expected, 24))
          << kFloatFunctions[r].expression << " of " << x << ", " << y << " is " << found;
    }
  }
}

TEST_F(Intrinsics, TheMathematicalFunctionsOfDoublesKeepTheirDocumentedError) {
  const auto input = moderate();
  const auto got = run(kernel_of<double>("double", kDoubleFunctions), input,
                       2 * kCount * std::size(kDoubleFunctions), {.grid = 4, .block = 64});
  for (std::size_t r = 0; r < std::size(kDoubleFunctions); ++r) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double x = std::bit_cast<float>(input[3 * i]);
      const double y = std::bit_cast<float>(input[3 * i + 1]);
      const double expected = kDoubleFunctions[r].expected(x, y);
      const std::size_t at = 2 * (r * kCount + i);
      const auto found = std::bit_cast<double>(UL{got[at]} | UL{got[at + 1]} << 32);
      const double units = kDoubleFunctions[r].units;
      // The host's own functions are off by up to one unit.
      ASSERT_LE(std::abs(found - expected), (units == 0 ? 0 : units + 1) * unit_of(expected, 53))
          << kDoubleFunctions[r].expression << " of " << x << ", " << y << " is " << found;
    }
  }
}

// The functions of the special function unit, where the guide gives absolute errors.
TEST_F(Intrinsics, TheFastFunctionsKeepTheirAbsoluteError) {
  const auto input = moderate();
  const auto got =
      run("extern \"C\" __global__ void f(const float* in, float* out) {\n"
          "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  const float x = in[i] / 3;\n"
          "  out[4 * i] = __sinf(x); out[4 * i + 1] = __cosf(x); out[4 * i + 2] = __logf(x);\n"
          "  asm(\"tanh.approx.f32 %0, %1;\" : \"=f\"(out[4 * i + 3]) : \"f\"(x));\n}\n",
          input, 4 * kCount, {.grid = 4, .block = 64});
  for (std::size_t i = 0; i < kCount; ++i) {
    const double x = std::bit_cast<float>(input[i]) / 3.0F;
    const auto found = [&](std::size_t n) { return std::bit_cast<float>(got[4 * i + n]); };
    ASSERT_NEAR(found(0), std::sin(x), std::ldexp(1, -21)) << x;
    ASSERT_NEAR(found(1), std::cos(x), std::ldexp(1, -21)) << x;
    ASSERT_NEAR(found(2), std::log(x), std::ldexp(1, -21)) << x;
    ASSERT_NEAR(found(3), std::tanh(x), std::ldexp(1, -10) * std::tanh(x)) << x;
  }
}

}  // namespace
}  // namespace emulator::api
