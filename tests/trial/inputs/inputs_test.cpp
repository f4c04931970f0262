#include "trial/inputs/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "trial/inputs/case_text.h"
#include "trial/inputs/conversion.h"

namespace autokernel::trial {
namespace {

using ::testing::Each;

constexpr Key kKey{{1, 2}};
constexpr int kCount = 100'000;

std::vector<float> first_input(const cases::Case& problem, InputKind input_kind,
                               const Key& key = kKey) {
  const SizedCase sized(problem, "default");
  std::vector<Bytes> inputs;
  InputMaker().make(sized, input_kind, key, inputs);
  std::vector<float> values(sized.tensors[0].count);
  to_floats(sized.tensors[0].tensor->dtype, inputs[0], values);
  return values;
}

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, float v) {
                           return sum + static_cast<double>(v) * static_cast<double>(v);
                         }) /
         static_cast<double>(values.size());
}

TEST(Inputs, AreAFunctionOfTheirKey) {
  const cases::Case problem = unary_case("f32", "fill = \"normal\"", kCount);
  EXPECT_EQ(first_input(problem, InputKind::declared), first_input(problem, InputKind::declared));
  EXPECT_NE(first_input(problem, InputKind::declared),
            first_input(problem, InputKind::declared, Key{{1, 3}}));
}

TEST(Inputs, AreEmptyForOutputs) {
  const cases::Case problem = unary_case("f32", "fill = \"normal\"", kCount);
  const SizedCase sized(problem, "default");
  std::vector<Bytes> inputs;
  InputMaker().make(sized, InputKind::declared, kKey, inputs);
  EXPECT_EQ(inputs[0].size(), 4U * kCount);
  EXPECT_TRUE(inputs[1].empty());
}

TEST(Inputs, DeclaredNormalHaveMeanZeroAndDeviationOne) {
  const std::vector<float> values =
      first_input(unary_case("f32", "fill = \"normal\"", kCount), InputKind::declared);
  EXPECT_NEAR(mean(values), 0, 0.02);
  EXPECT_NEAR(variance(values), 1, 0.03);
  // 4.55 % of a normal distribution lies outside two deviations.
  const auto outside = std::ranges::count_if(values, [](float v) { return std::fabs(v) > 2; });
  EXPECT_NEAR(static_cast<double>(outside) / kCount, 0.0455, 0.004);
}

// Whoever computes in floats is to be found out.
TEST(Inputs, OfF64HaveDigitsThatNoFloatHas) {
  for (const char* fill : {"fill = \"normal\"", "fill = \"uniform\"\nlow = -1\nhigh = 2"}) {
    const cases::Case problem = unary_case("f64", fill, kCount);
    const SizedCase sized(problem, "default");
    std::vector<Bytes> inputs;
    InputMaker().make(sized, InputKind::declared, kKey, inputs);
    std::vector<double> values(kCount);
    std::memcpy(values.data(), inputs[0].data(), inputs[0].size());
    const auto in_float = std::ranges::count_if(values, [](double value) {
      return value == static_cast<double>(static_cast<float>(value));
    });
    EXPECT_LT(in_float, kCount / 50) << fill;
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 0.99 * kCount) << fill;
  }
}

TEST(Inputs, DeclaredUniformStayInTheirRange) {
  const std::vector<float> values = first_input(
      unary_case("f32", "fill = \"uniform\"\nlow = -2.0\nhigh = 6.0", kCount), InputKind::declared);
  EXPECT_GE(*std::ranges::min_element(values), -2);
  EXPECT_LT(*std::ranges::max_element(values), 6);
  EXPECT_NEAR(mean(values), 2, 0.05);
}

TEST(Inputs, DeclaredIntegersTakeEveryValueOfTheirRangeAndNoOther) {
  const std::vector<float> values = first_input(
      unary_case("u8", "fill = \"integers\"\nlow = 3\nhigh = 7", kCount), InputKind::declared);
  EXPECT_EQ(std::set<float>(values.begin(), values.end()), (std::set<float>{3, 4, 5, 6, 7}));
}

TEST(Inputs, OfI32ReachBothEndsOfAllItsValues) {
  const cases::Case problem =
      unary_case("i32", "fill = \"integers\"\nlow = -2147483648\nhigh = 2147483647", kCount);
  const SizedCase sized(problem, "default");
  std::vector<Bytes> inputs;
  InputMaker().make(sized, InputKind::declared, kKey, inputs);
  std::vector<std::int32_t> values(kCount);
  std::memcpy(values.data(), inputs[0].data(), inputs[0].size());
  EXPECT_LT(*std::ranges::min_element(values), -2'147'000'000);
  EXPECT_GT(*std::ranges::max_element(values), 2'147'000'000);
  // Odd values beyond 2^24 show that they did not pass through a float.
  EXPECT_TRUE(
      std::ranges::any_of(values, [](std::int32_t v) { return v > (1 << 25) && v % 2 == 1; }));
}

TEST(StressInputs, OfZerosAreAllZero) {
  EXPECT_THAT(first_input(unary_case("f16", "fill = \"normal\"", 100), InputKind::zeros),
              Each(0.0F));
}

TEST(StressInputs, OfConstantsAreAllTheSame) {
  const std::vector<float> values =
      first_input(unary_case("bf16", "fill = \"normal\"", 100), InputKind::constant);
  EXPECT_THAT(values, Each(values[0]));
  EXPECT_GE(values[0], 0.5F);
  EXPECT_LE(values[0], 1.0F);
}

TEST(StressInputs, OfConstantsHaveProductsWhosePlainSumsAreExact) {
  const float value =
      first_input(unary_case("f32", "fill = \"normal\"", 4), InputKind::constant)[0];
  float sum = 0;
  for (int i = 0; i < 65536; ++i) sum += value * value;
  EXPECT_EQ(sum, 65536 * value * value);
}

TEST(StressInputs, OfIntegersKeepTheirDeclaredRange) {
  const cases::Case problem = unary_case("i32", "fill = \"integers\"\nlow = 1\nhigh = 9", 1000);
  EXPECT_EQ(first_input(problem, InputKind::very_large), first_input(problem, InputKind::declared));
}

// Sums of absolute values bound the sums; f16 is the type whose range is small.
class StressedProduct : public ::testing::TestWithParam<InputKind> {};

TEST_P(StressedProduct, StaysFiniteInF16) {
  const cases::Case problem = product_case("f16", "f16", 8, 8, 1024);
  const std::vector<float> values = first_input(problem, GetParam());
  const float largest = std::fabs(*std::ranges::max_element(
      values, [](float a, float b) { return std::fabs(a) < std::fabs(b); }));
  EXPECT_LT(static_cast<double>(largest) * static_cast<double>(largest) * 1024, 65504);
}

INSTANTIATE_TEST_SUITE_P(Each, StressedProduct, ::testing::ValuesIn(kStressInputKinds));

TEST(StressInputs, OfMixedScaleSpreadOverManyPowersOfTwo) {
  const std::vector<float> values =
      first_input(product_case("bf16", "bf16", 64, 64, 64), InputKind::mixed);
  const auto huge = std::ranges::count_if(values, [](float v) { return std::fabs(v) > 256; });
  const auto tiny =
      std::ranges::count_if(values, [](float v) { return std::fabs(v) < 1.0F / 256; });
  EXPECT_GT(huge, 100);
  EXPECT_GT(tiny, 100);
}

TEST(Description, NamesTheInputsAsMessagesDo) {
  const cases::Case problem = product_case("bf16", "bf16", 8, 8, 8);
  EXPECT_EQ(description(problem, InputKind::declared), "normal inputs");
  EXPECT_EQ(description(problem, InputKind::exact), "exact inputs");
  EXPECT_EQ(description(problem, InputKind::very_small), "stress inputs: very small");
}

}  // namespace
}  // namespace autokernel::trial
