#include "trial/check/compare_tensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace autokernel::trial {
namespace {

using cases::DType;

Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Comparison compared(const std::vector<float>& got, const std::vector<float>& expected,
                    const Closeness& closeness) {
  return compare(DType::f32, bytes_of(got), bytes_of(expected), closeness);
}

const Closeness kBits{};
Closeness within(double absolute, double relative) {
  Closeness closeness;
  closeness.kind = Closeness::Kind::within;
  closeness.tolerance = {absolute, relative};
  return closeness;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Compare, SameBitsAreEqual) {
  const Comparison comparison = compared({1, -2, 0}, {1, -2, 0}, kBits);
  EXPECT_EQ(comparison.count, 3U);
  EXPECT_EQ(comparison.differing, 0U);
}

TEST(Compare, ZerosOfEitherSignAreTheSameValue) {
  EXPECT_EQ(compared({-0.0F}, {0.0F}, kBits).differing, 0U);
}

TEST(Compare, TheNextFloatIsAnotherValue) {
  EXPECT_EQ(compared({std::nextafterf(1.0F, 2.0F)}, {1.0F}, kBits).differing, 1U);
}

TEST(Compare, NanNeverMatchesNotEvenItself) {
  EXPECT_EQ(compared({kNan}, {kNan}, kBits).differing, 1U);
  EXPECT_EQ(compared({kNan}, {1.0F}, within(1e9, 1e9)).differing, 1U);
  EXPECT_EQ(compared({1.0F}, {kNan}, within(1e9, 1e9)).differing, 1U);
}

TEST(Compare, InfinityNeverMatchesNotEvenItself) {
  EXPECT_EQ(compared({kInfinity}, {kInfinity}, kBits).differing, 1U);
  EXPECT_EQ(compared({kInfinity}, {kInfinity}, within(1e9, 1e9)).differing, 1U);
  EXPECT_EQ(compared({3e38F}, {kInfinity}, within(1e9, 1e9)).differing, 1U);
}

TEST(Compare, SaysWhetherTheExpectedValuesAreFinite) {
  EXPECT_TRUE(compared({kInfinity}, {1.0F}, kBits).all_finite);
  EXPECT_FALSE(compared({1.0F}, {kInfinity}, kBits).all_finite);
}

TEST(Compare, TheToleranceItselfIsAllowed) {
  EXPECT_EQ(compared({100.5F}, {100.0F}, within(0.5, 0)).differing, 0U);
  EXPECT_EQ(compared({101.0F}, {100.0F}, within(0, 0.01)).differing, 0U);
  EXPECT_EQ(compared({-101.5F}, {-100.0F}, within(0.5, 0.01)).differing, 0U);
}

TEST(Compare, JustBeyondTheToleranceIsNot) {
  EXPECT_EQ(compared({std::nextafterf(100.5F, 200.0F)}, {100.0F}, within(0.5, 0)).differing, 1U);
  EXPECT_EQ(compared({std::nextafterf(101.5F, 200.0F)}, {100.0F}, within(0.5, 0.01)).differing, 1U);
}

TEST(Compare, MagnitudesAddToTheTolerance) {
  const std::vector<float> magnitudes = {0, 8};
  Closeness closeness = within(0.25, 0);
  closeness.factor = 0.5;
  closeness.magnitudes = magnitudes;
  const Comparison comparison = compared({1.25F, 5.0F}, {1.0F, 1.0F}, closeness);
  EXPECT_EQ(comparison.differing, 0U);
  EXPECT_EQ(compared({5.0F, 5.0F}, {1.0F, 1.0F}, closeness).first, 0U);
}

TEST(Compare, NamesTheFirstCountsAllAndFindsTheLargest) {
  std::vector<float> got(5000, 1.0F);
  const std::vector<float> expected = got;
  got[1027] = 1.5F;
  got[4999] = -3.0F;
  const Comparison comparison = compared(got, expected, kBits);
  EXPECT_EQ(comparison.count, 5000U);
  EXPECT_EQ(comparison.differing, 2U);
  EXPECT_EQ(comparison.first, 1027U);
  EXPECT_EQ(comparison.largest, 4.0);
}

TEST(Compare, ReportsTheLargestDifferencesAmongEqualElementsToo) {
  const Comparison comparison = compared({100.5F, 10.2F}, {100.0F, 10.0F}, within(0.1, 0.1));
  EXPECT_EQ(comparison.differing, 0U);
  EXPECT_NEAR(comparison.differences.max_abs, 0.5, 1e-6);
  EXPECT_NEAR(comparison.differences.max_rel, 0.02, 1e-5);
}

TEST(Compare, TakesTheRelativeDifferenceOfSmallElementsFromWhereTheTolerancesMeet) {
  // 0.01 against 1e-6 is no error of 10,000 where everything below 1 is allowed to be off by 0.01.
  EXPECT_NEAR(compared({0.01F}, {1e-6F}, within(1e-2, 1e-2)).differences.max_rel, 0.01, 1e-5);
}

TEST(Compare, HoldsIntegersApartThatAFloatDoesNot) {
  const std::vector<std::int32_t> got = {16'777'217};
  const std::vector<std::int32_t> expected = {16'777'216};
  EXPECT_EQ(
      compare(DType::i32, std::as_bytes(std::span(got)), std::as_bytes(std::span(expected)), kBits)
          .differing,
      1U);
}

TEST(Compare, HoldsIntegersApartThatADoubleDoesNot) {
  const std::vector<std::int64_t> got = {(1LL << 53) + 1};
  const std::vector<std::int64_t> expected = {1LL << 53};
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  EXPECT_EQ(compare(DType::i64, bytes(got), bytes(expected), kBits).differing, 1U);
  EXPECT_EQ(compare(DType::i64, bytes(got), bytes(got), kBits).differing, 0U);
}

TEST(Compare, HoldsDoublesApartThatAFloatDoesNot) {
  const std::vector<double> got = {1 + 0x1p-40};
  const std::vector<double> expected = {1};
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  EXPECT_EQ(compare(DType::f64, bytes(got), bytes(expected), within(1e-13, 0)).differing, 1U);
  EXPECT_EQ(compare(DType::f64, bytes(got), bytes(expected), within(1e-11, 0)).differing, 0U);
}

TEST(Compare, ReadsBf16) {
  const std::vector<std::uint16_t> got = {0x3f80, 0x4000};       // 1, 2
  const std::vector<std::uint16_t> expected = {0x3f80, 0x4040};  // 1, 3
  const Comparison comparison = compare(DType::bf16, std::as_bytes(std::span(got)),
                                        std::as_bytes(std::span(expected)), kBits);
  EXPECT_EQ(comparison.first, 1U);
  EXPECT_EQ(comparison.largest, 1.0);
}

}  // namespace
}  // namespace autokernel::trial
