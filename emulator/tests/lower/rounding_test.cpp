// Floating-point arithmetic in each rounding, against the host's processor in the same mode.
#include <gtest/gtest.h>

#include "reference_floats.h"
#include "triples.h"

namespace emulator::testing {
namespace {

template <typename T>
struct Operation {
  const char* name;
  const char* operands;
  T (*compute)(T a, T b, T c);
};

template <typename T>
void PrintTo(const Operation<T>& o, std::ostream* out) {
  *out << o.name;
}

// Volatile, so that the compiler leaves the operation where the rounding mode is set.
template <typename T>
T divided(T a, T b) {
  const volatile T x = a;
  const volatile T y = b;
  return x / y;
}

constexpr Operation<float> kFloats[] = {
    {"add", "%f10, %f11", [](float a, float b, float) { return a + b; }},
    {"sub", "%f10, %f11", [](float a, float b, float) { return a - b; }},
    {"mul", "%f10, %f11", [](float a, float b, float) { return a * b; }},
    {"div", "%f10, %f11", [](float a, float b, float) { return divided(a, b); }},
    {"rcp", "%f10", [](float a, float, float) { return divided(1.0F, a); }},
    {"sqrt", "%f10", [](float a, float, float) { return std::sqrt(a); }},
    {"fma", "%f10, %f11, %f12", [](float a, float b, float c) { return std::fma(a, b, c); }},
};
constexpr Operation<double> kDoubles[] = {
    {"add", "%d10, %d11", [](double a, double b, double) { return a + b; }},
    {"sub", "%d10, %d11", [](double a, double b, double) { return a - b; }},
    {"mul", "%d10, %d11", [](double a, double b, double) { return a * b; }},
    {"div", "%d10, %d11", [](double a, double b, double) { return divided(a, b); }},
    {"rcp", "%d10", [](double a, double, double) { return divided(1.0, a); }},
    {"sqrt", "%d10", [](double a, double, double) { return std::sqrt(a); }},
    {"fma", "%d10, %d11, %d12", [](double a, double b, double c) { return std::fma(a, b, c); }},
};

template <typename T>
[[gnu::noinline]] T compute_rounded(const Operation<T>& operation, int mode, T a, T b, T c) {
  const HostRounding rounding(mode);
  const volatile T x = a;
  const volatile T y = b;
  const volatile T z = c;
  const volatile T result = operation.compute(x, y, z);
  return result;
}

template <typename T>
using Case = std::tuple<Operation<T>, Direction>;
template <typename T>
std::string name_of(const ::testing::TestParamInfo<Case<T>>& test) {
  return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).word;
}

class RoundedFloat : public ::testing::TestWithParam<Case<float>> {};
TEST_P(RoundedFloat, HasTheBitsOfTheHost) {
  const auto& [operation, direction] = GetParam();
  const auto operands = triples(f32_edges(), 32);
  const auto got = run_on(std::string(operation.name) + "." + direction.word + ".f32 %f20, " +
                              operation.operands + "; mov.b32 %r20, %f20; cvt.u64.u32 %rd20, %r20;",
                          operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [a, b, c] = operands[i];
    const auto expected =
        compute_rounded<float>(operation, direction.mode, static_cast<float>(f32(a)),
                               static_cast<float>(f32(b)), static_cast<float>(f32(c)));
    ASSERT_PRED2(same, f32(got[i]), expected) << std::hex << a << ", " << b << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, RoundedFloat,
                         ::testing::Combine(::testing::ValuesIn(kFloats),
                                            ::testing::ValuesIn(kDirections)),
                         name_of<float>);

class RoundedDouble : public ::testing::TestWithParam<Case<double>> {};
TEST_P(RoundedDouble, HasTheBitsOfTheHost) {
  const auto& [operation, direction] = GetParam();
  const auto operands = triples(f64_edges(), 64);
  const auto got = run_on(std::string(operation.name) + "." + direction.word + ".f64 %d20, " +
                              operation.operands + "; mov.b64 %rd20, %d20;",
                          operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [a, b, c] = operands[i];
    const auto expected =
        compute_rounded<double>(operation, direction.mode, f64(a), f64(b), f64(c));
    ASSERT_PRED2(same, f64(got[i]), expected) << std::hex << a << ", " << b << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, RoundedDouble,
                         ::testing::Combine(::testing::ValuesIn(kDoubles),
                                            ::testing::ValuesIn(kDirections)),
                         name_of<double>);

// What a warp computes once for all lanes is rounded as what it computes for each.
TEST(Rounding, OfAUniformValueIsTheSame) {
  const std::vector<Triple> operands(256, Triple{0, 0, 0});
  const auto got = run_on(
      "mov.f64 %d1, 0d3FF0000000000000; mov.f64 %d2, 0d4008000000000000; div.rp.f64 %d3, %d1, %d2;"
      "mov.b64 %rd20, %d3;",
      operands);
  EXPECT_EQ(got[7], 0x3fd5555555555556U);
}
TEST(Rounding, FlushesSubnormalResultsAfterwards) {
  const auto got =
      run_on("mul.rp.ftz.f32 %f20, %f10, %f11; mov.b32 %r20, %f20; cvt.u64.u32 %rd20, %r20;",
             std::vector<Triple>(256, Triple{0x9f800000, 0x1f000000, 0}));
  EXPECT_EQ(got[0], 0x80000000U);
}

struct HalfCase {
  const char* name;
  const char* instruction;  // on %h10, %h11, %h12 with %h13 as its result
  bool is_f16;
  double (*compute)(double a, double b, double c);
};
void PrintTo(const HalfCase& c, std::ostream* out) { *out << c.name; }

const HalfCase kHalves[] = {
    {"f16_add", "add.f16 %h13, %h10, %h11;", true,
     [](double a, double b, double) { return a + b; }},
    {"f16_sub", "sub.rn.f16 %h13, %h10, %h11;", true,
     [](double a, double b, double) { return a - b; }},
    {"f16_mul", "mul.f16 %h13, %h10, %h11;", true,
     [](double a, double b, double) { return a * b; }},
    {"f16_fma", "fma.rn.f16 %h13, %h10, %h11, %h12;", true,
     [](double a, double b, double c) { return std::fma(a, b, c); }},
    {"bf16_add", "add.rn.bf16 %h13, %h10, %h11;", false,
     [](double a, double b, double) { return a + b; }},
    {"bf16_sub", "sub.bf16 %h13, %h10, %h11;", false,
     [](double a, double b, double) { return a - b; }},
    {"bf16_mul", "mul.bf16 %h13, %h10, %h11;", false,
     [](double a, double b, double) { return a * b; }},
    {"bf16_fma", "fma.rn.bf16 %h13, %h10, %h11, %h12;", false,
     [](double a, double b, double c) { return std::fma(a, b, c); }},
};

class RoundedHalf : public ::testing::TestWithParam<HalfCase> {};
TEST_P(RoundedHalf, IsRoundedOnce) {
  const HalfCase& test = GetParam();
  const auto operands = triples(test.is_f16 ? f16_edges() : bf16_edges(), 16);
  const auto value = test.is_f16 ? f16 : bf16;
  const auto got = run_on(std::string(test.instruction) + "cvt.u64.u16 %rd20, %h13;", operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto [a, b, c] = operands[i];
    const double exact = odd([&, x = value(a), y = value(b), z = value(c)] {
      const volatile double p = x;
      return test.compute(p, y, z);
    });
    // The host, in its mode, gives a zero sum the sign of the mode for zero: that of rounding to
    // nearest.
    const double expected = rounded(exact, test.is_f16 ? kF16 : kBf16, FE_TONEAREST);
    ASSERT_PRED2(same, value(got[i]), expected) << std::hex << a << ", " << b << ", " << c;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, RoundedHalf, ::testing::ValuesIn(kHalves),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace emulator::testing
