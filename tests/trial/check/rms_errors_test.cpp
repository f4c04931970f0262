#include "trial/check/rms_errors.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>

#include "trial/inputs/element_text.h"

namespace autokernel::trial {
namespace {

using cases::DType;

template <typename Values>
std::span<const std::byte> bytes_of(const Values& values) {
  return std::as_bytes(std::span(values));
}

TEST(RmsErrors, AreRootsOfTheMeanOfSquares) {
  const std::array<double, 4> right = {1, 2, 3, 4};
  const std::array<float, 4> got = {1, 2, 3, 6};
  const std::array<float, 4> reference = {2, 3, 4, 5};

  const RmsErrors errors = rms_errors(DType::f32, bytes_of(got), bytes_of(reference), right);

  EXPECT_DOUBLE_EQ(errors.got, 1);
  EXPECT_DOUBLE_EQ(errors.reference, 1);
  EXPECT_DOUBLE_EQ(errors.rounding, 0);
}

TEST(RmsErrors, MayBeHalfAsMuchAgainAsThoseOfTheReference) {
  EXPECT_TRUE((RmsErrors{1.5, 1, 0}.acceptable()));
  EXPECT_FALSE((RmsErrors{1.51, 1, 0}.acceptable()));
}

TEST(RmsErrors, MayAlwaysBeThoseOfRounding) {
  const double third = 1.0 / 3;
  const std::array<double, 1> right = {third};
  const std::array<float, 1> got = {static_cast<float>(third)};

  const RmsErrors errors = rms_errors(DType::f32, bytes_of(got), bytes_of(got), right);

  EXPECT_GT(errors.rounding, 0);
  EXPECT_TRUE((RmsErrors{errors.rounding, 0, errors.rounding}.acceptable()));
}

TEST(RmsErrors, OfSixteenBitsAreMeasuredFromTheValueBeforeItIsRounded) {
  const std::array<double, 1> right = {1 + 0x1p-9};
  const std::array<std::uint16_t, 1> one_bf16 = {0x3f80};
  const std::array<std::uint16_t, 1> one_f16 = {0x3c00};

  EXPECT_DOUBLE_EQ(rms_errors(DType::bf16, bytes_of(one_bf16), bytes_of(one_bf16), right).rounding,
                   0x1p-9);
  EXPECT_DOUBLE_EQ(rms_errors(DType::f16, bytes_of(one_f16), bytes_of(one_f16), right).rounding, 0);
}

TEST(RmsErrors, ThatAreNoNumbersAreNotAcceptable) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((RmsErrors{nan, 1, 1}.acceptable()));
  EXPECT_FALSE((RmsErrors{1, nan, 0.1}.acceptable()));
}

TEST(RightValues, AreRoundedOnceAndKnowTheWorstErrorOfTheReference) {
  const std::array<double, 3> right = {1 + 0x1p-30, 2, -4};
  const std::array<float, 3> reference = {1, 2.5F, -4.25F};

  const RightValues values = right_values(DType::f32, bytes_of(reference), right);

  EXPECT_EQ(value_at(DType::f32, values.rounded, 0), 1);
  EXPECT_EQ(value_at(DType::f32, values.rounded, 2), -4);
  EXPECT_DOUBLE_EQ(values.reference_error, 0.5);
}

TEST(RightValues, OfAReferenceThatIsNotFiniteHaveAnErrorThatIsNotEither) {
  const std::array<double, 2> right = {1, 2};
  const std::array<float, 2> infinite = {std::numeric_limits<float>::infinity(), 2};
  const std::array<float, 2> nan = {std::numeric_limits<float>::quiet_NaN(), 2};

  EXPECT_FALSE(std::isfinite(right_values(DType::f32, bytes_of(infinite), right).reference_error));
  EXPECT_FALSE(std::isfinite(right_values(DType::f32, bytes_of(nan), right).reference_error));
}

TEST(References, AgreeWithinTheTolerance) {
  const std::array<double, 3> right = {1, 100, 1};
  const std::array<float, 3> reference = {1.5F, 101, 2};

  EXPECT_EQ(first_disagreement(DType::f32, bytes_of(reference), right, {0.5, 0.01}), 2U);
  EXPECT_EQ(first_disagreement(DType::f32, bytes_of(reference), right, {1, 0}), std::nullopt);
}

TEST(References, DisagreeWhereEitherIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 1> right = {infinity};
  const std::array<float, 1> reference = {static_cast<float>(infinity)};

  EXPECT_EQ(first_disagreement(DType::f32, bytes_of(reference), right, {1, 1}), 0U);
}

}  // namespace
}  // namespace autokernel::trial
