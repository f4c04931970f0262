// f16 and bf16, single and in pairs, and the small operations of all floating-point types: minima,
// comparisons, properties.
#include <gtest/gtest.h>

#include "reference_floats.h"
#include "triples.h"

namespace emulator::testing {
namespace {

bool nan(double x) { return std::isnan(x); }
double smaller(double a, double b) {
  if (nan(a) || nan(b)) return nan(a) ? b : a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
double larger(double a, double b) { return -smaller(-a, -b); }
double with_nan(double a, double b, double result) { return nan(a) || nan(b) ? NAN : result; }
double signed_of(double a, double b, double result) {
  return nan(result) ? result : std::copysign(result, std::signbit(a) != std::signbit(b) ? -1 : 1);
}
double flushed(double x, int lowest_exponent) {
  return std::abs(x) < std::ldexp(1, lowest_exponent) ? std::copysign(0.0, x) : x;
}

using Decode = double (*)(std::uint64_t);
struct Case {
  const char* name;
  const char* body;  // leaves the result's bits in %rd20
  Decode decode;
  double (*expected)(double a, double b, double c);
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

#define HALF "cvt.u64.u16 %rd20, %h13;"
#define WORD "mov.b32 %r20, %f13; cvt.u64.u32 %rd20, %r20;"
const Case kCases[] = {
    {"f16_min", "min.f16 %h13, %h10, %h11;" HALF, f16,
     [](double a, double b, double) { return smaller(a, b); }},
    {"f16_max_nan", "max.NaN.f16 %h13, %h10, %h11;" HALF, f16,
     [](double a, double b, double) { return with_nan(a, b, larger(a, b)); }},
    {"bf16_max", "max.bf16 %h13, %h10, %h11;" HALF, bf16,
     [](double a, double b, double) { return larger(a, b); }},
    {"f16_min_xorsign", "min.xorsign.abs.f16 %h13, %h10, %h11;" HALF, f16,
     [](double a, double b, double) { return signed_of(a, b, smaller(std::abs(a), std::abs(b))); }},
    {"f16_add_ftz", "add.ftz.f16 %h13, %h10, %h11;" HALF, f16,
     [](double a, double b, double) {
       return flushed(rounded(flushed(a, -14) + flushed(b, -14), kF16, FE_TONEAREST), -14);
     }},
    {"f16_add_sat", "add.sat.f16 %h13, %h10, %h11;" HALF, f16,
     [](double a, double b, double) {
       const double sum = rounded(a + b, kF16, FE_TONEAREST);
       return nan(sum) ? 0.0 : std::min(std::max(sum, 0.0), 1.0) + 0.0;
     }},
    {"f16_fma_relu", "fma.rn.relu.f16 %h13, %h10, %h11, %h12;" HALF, f16,
     [](double a, double b, double c) {
       const double sum = odd([&] { return std::fma(a, b, c); });
       return nan(sum) ? NAN : std::max(0.0, rounded(sum, kF16, FE_TONEAREST)) + 0.0;
     }},
    {"bf16_fma_relu", "fma.rn.relu.bf16 %h13, %h10, %h11, %h12;" HALF, bf16,
     [](double a, double b, double c) {
       const double sum = odd([&] { return std::fma(a, b, c); });
       return nan(sum) ? NAN : std::max(0.0, rounded(sum, kBf16, FE_TONEAREST)) + 0.0;
     }},
    {"f16x2_mul",
     "mov.b32 %r1, {%h11, %h10}; mov.b32 %r2, {%h10, %h12}; mul.f16x2 %r3, %r1, %r2; mov.b32 "
     "{%h14, "
     "%h13}, %r3;" HALF,
     f16, [](double a, double, double c) { return rounded(a * c, kF16, FE_TONEAREST); }},
    {"f16x2_fma_lower_half",
     "mov.b32 %r1, {%h10, %h12}; mov.b32 %r2, {%h11, %h12}; mov.b32 %r3, {%h12, %h10}; "
     "fma.rn.f16x2 "
     "%r4, %r1, %r2, %r3; mov.b32 {%h13, %h14}, %r4;" HALF,
     f16,
     [](double a, double b, double c) {
       return rounded(odd([&] { return std::fma(a, b, c); }), kF16, FE_TONEAREST);
     }},
    {"bf16x2_sub",
     "mov.b32 %r1, {%h11, %h10}; mov.b32 %r2, {%h10, %h12}; sub.bf16x2 %r3, %r1, %r2; mov.b32 "
     "{%h14, "
     "%h13}, %r3;" HALF,
     bf16,
     [](double a, double, double c) {
       return rounded(odd([&] { return a - c; }), kBf16, FE_TONEAREST);
     }},
    {"bf16_neg", "neg.bf16 %h13, %h10;" HALF, bf16, [](double a, double, double) { return -a; }},
    {"f16_abs_ftz", "abs.ftz.f16 %h13, %h10;" HALF, f16,
     [](double a, double, double) { return flushed(std::abs(a), -14); }},
    {"f32_max_xorsign_nan", "max.NaN.xorsign.abs.f32 %f13, %f10, %f11;" WORD, f32,
     [](double a, double b, double) {
       return signed_of(a, b, with_nan(a, b, larger(std::abs(a), std::abs(b))));
     }},
    {"f32_min_of_three", "min.f32 %f13, %f10, %f11, %f12;" WORD, f32,
     [](double a, double b, double c) { return smaller(smaller(a, b), c); }},
    {"f32_min_ftz", "min.ftz.f32 %f13, %f10, %f11;" WORD, f32,
     [](double a, double b, double) { return smaller(flushed(a, -126), flushed(b, -126)); }},
    {"f64_min", "min.f64 %d13, %d10, %d11; mov.b64 %rd20, %d13;", f64,
     [](double a, double b, double) { return smaller(a, b); }},
    {"f64_copysign", "copysign.f64 %d13, %d10, %d11; mov.b64 %rd20, %d13;", f64,
     [](double a, double b, double) { return nan(b) ? NAN : std::copysign(b, a); }},
    {"f64_neg_abs", "abs.f64 %d1, %d10; neg.f64 %d13, %d1; mov.b64 %rd20, %d13;", f64,
     [](double a, double, double) { return -std::abs(a); }},
    {"f32_div_approx_by_the_largest", "div.approx.f32 %f13, %f10, %f11;" WORD, f32,
     [](double a, double b, double) {
       const bool huge = std::abs(b) > std::ldexp(1, 126) && std::isfinite(b);
       if (huge) return a * std::copysign(0.0, b);
       return rounded(odd([&] {
                        const volatile double x = a;
                        return x / b;
                      }),
                      kF32, FE_TONEAREST);
     }},
};
class SmallOperation : public ::testing::TestWithParam<Case> {};
TEST_P(SmallOperation, EqualsTheReference) {
  const Case& test = GetParam();
  const bool is_f32 = test.decode == f32;
  const bool is_f64 = test.decode == f64;
  const auto edges =
      is_f64 ? f64_edges()
             : (is_f32 ? f32_edges() : (test.decode == f16 ? f16_edges() : bf16_edges()));
  const auto operands = triples(edges, is_f64 ? 64 : (is_f32 ? 32 : 16));
  const auto got = run_on(test.body, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [a, b, c] = operands[i];
    const double expected = test.expected(test.decode(a), test.decode(b), test.decode(c));
    ASSERT_PRED2(same, test.decode(got[i]), expected) << std::hex << a << ", " << b << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, SmallOperation, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// fma.oob: what is outside a tensor counts as 0, whatever it is multiplied with or added to. What
// is outside is a factor of 0x7ff7 or 0xfff7, as found on an H200 for all patterns of 16 bits.
struct OutOfBounds {
  const char* words;
  const char* type;
};
class OutOfBoundsFactor : public ::testing::TestWithParam<OutOfBounds> {
 protected:
  // Of one half, or of the lower half of a pair whose upper one has other factors.
  static std::vector<std::uint64_t> computed(const std::string& name, bool is_pair,
                                             const std::vector<Triple>& operands) {
    if (!is_pair) return run_on(name + " %h13, %h10, %h11, %h12;" HALF, operands);
    return run_on(
        "mov.b16 %h9, 0x7ff7; mov.b32 %r1, {%h10, %h9}; mov.b32 %r2, {%h11, %h12}; "
        "mov.b32 %r3, {%h12, %h10}; " +
            name + " %r4, %r1, %r2, %r3; mov.b32 {%h13, %h14}, %r4;" HALF,
        operands);
  }
};
TEST_P(OutOfBoundsFactor, MakesZero) {
  const OutOfBounds& form = GetParam();
  const std::string type = form.type;
  const bool is_pair = type.ends_with("x2");
  std::vector<std::uint64_t> edges = type.starts_with("b") ? bf16_edges() : f16_edges();
  edges.resize(std::min<std::size_t>(edges.size(), 26));
  for (const std::uint64_t special : {0x7ff7U, 0xfff7U, 0x7ff6U, 0x7ff8U, 0x7fffU, 0xffffU})
    edges.push_back(special);
  const auto operands = triples(edges, 16);

  const auto plain = computed("fma.rn" + std::string(form.words) + "." + type, is_pair, operands);
  const auto got = computed("fma.rn.oob" + std::string(form.words) + "." + type, is_pair, operands);

  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [a, b, c] = operands[i];
    const bool outside = (a & 0x7fff) == 0x7ff7 || (b & 0x7fff) == 0x7ff7;
    ASSERT_EQ(got[i], outside ? 0 : plain[i]) << std::hex << a << ", " << b << ", " << c;
  }
}
constexpr OutOfBounds kOutOfBounds[] = {{"", "f16"},       {".relu", "f16"},   {".sat", "f16"},
                                        {"", "bf16"},      {".relu", "bf16"},  {"", "f16x2"},
                                        {".sat", "f16x2"}, {".relu", "bf16x2"}};
INSTANTIATE_TEST_SUITE_P(Each, OutOfBoundsFactor, ::testing::ValuesIn(kOutOfBounds),
                         [](const auto& test) {
                           const std::string words = test.param.words;
                           return test.param.type + (words.empty() ? words : "_" + words.substr(1));
                         });

// Comparisons and properties: 1 where they hold.
struct Question {
  const char* name;
  const char* body;  // leaves a word in %r20
  Decode decode;
  std::uint32_t (*expected)(double a, double b);
};
void PrintTo(const Question& q, std::ostream* out) { *out << q.name; }

#define ASKED " selp.u32 %r20, 1, 0, %p1;"
const Question kQuestions[] = {
    {"f32_equ", "setp.equ.f32 %p1, %f10, %f11;" ASKED, f32,
     [](double a, double b) { return nan(a) || nan(b) || a == b ? 1U : 0U; }},
    {"f32_ne", "setp.ne.f32 %p1, %f10, %f11;" ASKED, f32,
     [](double a, double b) { return !nan(a) && !nan(b) && a != b ? 1U : 0U; }},
    {"f32_num", "setp.num.f32 %p1, %f10, %f11;" ASKED, f32,
     [](double a, double b) { return nan(a) || nan(b) ? 0U : 1U; }},
    {"f32_lt_ftz", "setp.lt.ftz.f32 %p1, %f10, %f11;" ASKED, f32,
     [](double a, double b) { return flushed(a, -126) < flushed(b, -126) ? 1U : 0U; }},
    {"f64_geu", "setp.geu.f64 %p1, %d10, %d11;" ASKED, f64,
     [](double a, double b) { return a < b ? 0U : 1U; }},
    {"f16_gt", "setp.gt.f16 %p1, %h10, %h11;" ASKED, f16,
     [](double a, double b) { return a > b ? 1U : 0U; }},
    {"bf16_nan", "setp.nan.bf16 %p1, %h10, %h11;" ASKED, bf16,
     [](double a, double b) { return nan(a) || nan(b) ? 1U : 0U; }},
    {"f16x2_le_in_both_halves",
     "mov.b32 %r1, {%h10, %h11}; mov.b32 %r2, {%h11, %h10}; setp.le.f16x2 %p1|%p2, %r1, %r2; "
     "selp.u32 "
     "%r3, 2, 0, %p2; selp.u32 %r4, 1, 0, %p1; or.b32 %r20, %r3, %r4;",
     f16, [](double a, double b) { return (a <= b ? 1U : 0U) + (b <= a ? 2U : 0U); }},
    {"f16x2_set",
     "mov.b32 %r1, {%h10, %h11}; mov.b32 %r2, {%h11, %h10}; set.lt.f16x2.f16x2 %r20, %r1, %r2;",
     f16, [](double a, double b) { return (a < b ? 0x3c00U : 0U) + (b < a ? 0x3c000000U : 0U); }},
    {"bf16x2_set_mask",
     "mov.b32 %r1, {%h10, %h11}; mov.b32 %r2, {%h11, %h10}; set.gtu.u32.bf16x2 %r20, %r1, %r2;",
     bf16,
     [](double a, double b) { return (a <= b ? 0U : 0xffffU) + (b <= a ? 0U : 0xffff0000U); }},
    {"f32_finite", "testp.finite.f32 %p1, %f10;" ASKED, f32,
     [](double a, double) { return std::isfinite(a) ? 1U : 0U; }},
    {"f64_infinite", "testp.infinite.f64 %p1, %d10;" ASKED, f64,
     [](double a, double) { return std::isinf(a) ? 1U : 0U; }},
    {"f32_number", "testp.number.f32 %p1, %f10;" ASKED, f32,
     [](double a, double) { return nan(a) ? 0U : 1U; }},
    {"f64_notanumber", "testp.notanumber.f64 %p1, %d10;" ASKED, f64,
     [](double a, double) { return nan(a) ? 1U : 0U; }},
    {"f32_normal", "testp.normal.f32 %p1, %f10;" ASKED, f32,
     [](double a, double) { return a == 0 || std::isnormal(static_cast<float>(a)) ? 1U : 0U; }},
    {"f64_subnormal", "testp.subnormal.f64 %p1, %d10;" ASKED, f64,
     [](double a, double) { return std::fpclassify(a) == FP_SUBNORMAL ? 1U : 0U; }},
};
class Asked : public ::testing::TestWithParam<Question> {};
TEST_P(Asked, EqualsTheHostsResult) {
  const Question& test = GetParam();
  const bool is_f32 = test.decode == f32;
  const bool is_f64 = test.decode == f64;
  const auto edges =
      is_f64 ? f64_edges()
             : (is_f32 ? f32_edges() : (test.decode == f16 ? f16_edges() : bf16_edges()));
  const auto operands = triples(edges, is_f64 ? 64 : (is_f32 ? 32 : 16));
  const auto got = run_on(std::string(test.body) + " cvt.u64.u32 %rd20, %r20;", operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [a, b, c] = operands[i];
    ASSERT_EQ(got[i], test.expected(test.decode(a), test.decode(b))) << std::hex << a << ", " << b;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, Asked, ::testing::ValuesIn(kQuestions),
                         [](const auto& test) { return std::string(test.param.name); });

// Approximations, as far from the exact value as the PTX ISA allows.
struct Approximation {
  const char* name;
  const char* body;
  Decode decode;
  double (*exact)(double x);
  double relative;
};
void PrintTo(const Approximation& a, std::ostream* out) { *out << a.name; }

#define DOUBLE " mov.b64 %rd20, %d13;"
const Approximation kApproximations[] = {
    {"rcp_f32", "rcp.approx.f32 %f13, %f10;" WORD, f32, [](double x) { return 1 / x; }, 0x1p-23},
    {"rcp_ftz_f64", "rcp.approx.ftz.f64 %d13, %d10;" DOUBLE, f64, [](double x) { return 1 / x; },
     0x1p-20},
    {"rsqrt_f64", "rsqrt.approx.f64 %d13, %d10;" DOUBLE, f64,
     [](double x) { return 1 / std::sqrt(x); }, 0x1p-22},
    {"rsqrt_ftz_f64", "rsqrt.approx.ftz.f64 %d13, %d10;" DOUBLE, f64,
     [](double x) { return 1 / std::sqrt(x); }, 0x1p-20},
    {"sqrt_f32", "sqrt.approx.f32 %f13, %f10;" WORD, f32, [](double x) { return std::sqrt(x); },
     0x1p-22},
    {"ex2_f32", "ex2.approx.ftz.f32 %f13, %f10;" WORD, f32, [](double x) { return std::exp2(x); },
     0x1p-22},
    {"tanh_f16", "tanh.approx.f16 %h13, %h10;" HALF, f16, [](double x) { return std::tanh(x); },
     0x1p-10},
    {"tanh_bf16", "tanh.approx.bf16 %h13, %h10;" HALF, bf16, [](double x) { return std::tanh(x); },
     0x1p-7},
    {"ex2_f16", "ex2.approx.f16 %h13, %h10;" HALF, f16, [](double x) { return std::exp2(x); },
     0x1p-9},
    {"ex2_bf16", "ex2.approx.ftz.bf16 %h13, %h10;" HALF, bf16,
     [](double x) { return std::exp2(x); }, 0x1p-7},
};
class Approximate : public ::testing::TestWithParam<Approximation> {};
TEST_P(Approximate, IsAsCloseAsPtxAsks) {
  const Approximation& test = GetParam();
  std::vector<Triple> operands;
  std::vector<double> numbers;
  for (int i = 0; i < 256; ++i) {
    // Exact in every format.
    const double x = std::ldexp(1 + (i % 64) / 64.0, i / 64 - 3);
    numbers.push_back(x);
    auto bits = std::bit_cast<std::uint64_t>(x);
    if (test.decode == f32) bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    if (test.decode == bf16) bits = std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16;
    if (test.decode == f16) {
      bits = static_cast<std::uint64_t>(i / 64 - 3 + 15) << 10 | static_cast<std::uint64_t>(i % 64)
                                                                     << 4;
    }
    numbers.back() = test.decode(bits);
    operands.push_back({bits, 0, 0});
  }
  const auto got = run_on(test.body, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const double exact = test.exact(numbers[i]);
    ASSERT_NEAR(test.decode(got[i]), exact, std::abs(exact) * test.relative) << numbers[i];
  }
}
INSTANTIATE_TEST_SUITE_P(Each, Approximate, ::testing::ValuesIn(kApproximations),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Approximations, OfDoublesFlushSubnormals) {
  const auto got = run_on("rcp.approx.ftz.f64 %d13, %d10;" DOUBLE,
                          std::vector<Triple>(256, Triple{0x8000000000000001, 0, 0}));
  EXPECT_EQ(got[0], 0xfff0000000000000U);
}

}  // namespace
}  // namespace emulator::testing
