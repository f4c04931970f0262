// Sums in fp32 of every order are told from sums that are narrower, by what rounding leaves of
// them. AUTOKERNEL_TEST_FULL=1: with 25 draws of each.
#include "trial/check/misrounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "support/full_test.h"
#include "support/present.h"
#include "trial/check/product_patch.h"
#include "trial/check/summations.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {
namespace {

using cases::DType;
using test::present;
using testing::Eq;
using testing::HasSubstr;

constexpr std::int64_t kRows = 16;
// A patch has 32 columns (product_check.cpp). A quarter of it shows what is wrong in most draws.
const std::int64_t kColumns = test::everything_is_wanted() ? 32 : 8;

enum class Filled : std::uint8_t { from_zero_to_one, normally, around_zero };

struct Multiplication {
  DType inputs;
  DType output;
  std::int64_t depth;
  Filled filled;
};
void PrintTo(const Multiplication& of, std::ostream* out) {
  constexpr std::array kFilled = {"uniform", "normal", "symmetric"};
  *out << cases::spelling(of.inputs) << "_to_" << cases::spelling(of.output) << "_" << of.depth
       << "_" << kFilled.at(static_cast<std::size_t>(of.filled));
}

std::vector<float> drawn(std::mt19937_64& random, std::size_t count, Filled filled) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(filled == Filled::around_zero ? -1 : 0, 1);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(filled == Filled::normally ? normal(random) : uniform(random));
  }
  return values;
}

Bytes stored(DType dtype, const std::vector<float>& values) {
  Bytes bytes(values.size() * cases::size_of(dtype));
  from_floats(dtype, values, bytes);
  return bytes;
}
std::vector<float> loaded(DType dtype, const Bytes& bytes) {
  std::vector<float> values(bytes.size() / cases::size_of(dtype));
  to_floats(dtype, bytes, values);
  return values;
}

// Matrices of one draw, and what each way to sum makes of their product.
class Drawn {
 public:
  Drawn(const Multiplication& of, std::uint64_t seed) : of_(of) {
    std::mt19937_64 random(seed);
    left_ = stored(of.inputs, drawn(random, static_cast<std::size_t>(kRows * of.depth), of.filled));
    right_ =
        stored(of.inputs, drawn(random, static_cast<std::size_t>(of.depth * kColumns), of.filled));
    values_ = multiply_patch({kRows, kColumns, of.depth}, {of.inputs, left_}, {of.inputs, right_},
                             {0, 0, kRows, kColumns});
    library_ = product(honest_summations(of.inputs).front().sum);
  }

  [[nodiscard]] Bytes product(const Summation& sum) const {
    const std::vector<float> left = loaded(of_.inputs, left_);
    const std::vector<float> right = loaded(of_.inputs, right_);
    const auto depth = static_cast<std::size_t>(of_.depth);
    const auto columns = static_cast<std::size_t>(kColumns);
    std::vector<float> result;
    std::vector<float> column(depth);
    result.resize(kRows * columns);
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t k = 0; k < depth; ++k) column[k] = right[k * columns + j];
      for (std::size_t i = 0; i < kRows; ++i) {
        result[i * columns + j] = sum(std::span(left).subspan(i * depth, depth), column);
      }
    }
    return stored(of_.output, result);
  }

  [[nodiscard]] Misrounding misrounding(const Summation& sum) const {
    return misrounding_of(of_.output, product(sum), library_, values_);
  }
  [[nodiscard]] std::optional<std::string> complaint_about_all(const Summation& sum) const {
    double squares = 0;
    for (const double magnitude : values_.magnitudes) squares += magnitude * magnitude;
    return complaint(of_.output, disagreement_of(of_.output, product(sum), library_),
                     misrounding(honest_summations(of_.inputs).front().sum),
                     squares / static_cast<double>(kRows * kColumns));
  }

 private:
  Multiplication of_;
  Bytes left_;
  Bytes right_;
  PatchValues values_;
  Bytes library_;
};

std::uint64_t draws() { return test::everything_is_wanted() ? 10 : 1; }

class Sums : public testing::TestWithParam<Multiplication> {};

TEST_P(Sums, InFp32ArePassedInEveryOrder) {
  for (std::uint64_t seed = 1; seed <= draws(); ++seed) {
    const Drawn matrices(GetParam(), seed);
    for (const auto& [name, sum] : honest_summations(GetParam().inputs)) {
      EXPECT_THAT(complaint(GetParam().output, matrices.misrounding(sum)), Eq(std::nullopt))
          << name;
      EXPECT_THAT(matrices.complaint_about_all(sum), Eq(std::nullopt)) << name;
    }
  }
}

TEST_P(Sums, OfLessThanFp32AreRefused) {
  constexpr double kMeanOfUniform = 0.25;
  const double mean = GetParam().filled == Filled::from_zero_to_one ? kMeanOfUniform : 0;
  for (std::uint64_t seed = 1; seed <= draws(); ++seed) {
    const Drawn matrices(GetParam(), seed);
    for (const auto& [name, sum] : reduced_summations(GetParam().inputs, mean)) {
      EXPECT_TRUE(complaint(GetParam().output, matrices.misrounding(sum)).has_value()) << name;
      EXPECT_TRUE(matrices.complaint_about_all(sum).has_value()) << name;
    }
  }
}

std::vector<Multiplication> multiplications() {
  std::vector<Multiplication> all;
  for (const auto& [inputs, output] :
       {std::pair{DType::bf16, DType::bf16}, std::pair{DType::f16, DType::f16},
        std::pair{DType::f32, DType::f32}, std::pair{DType::bf16, DType::f32}}) {
    for (const std::int64_t depth : {1024, 4096}) {
      for (const Filled filled :
           {Filled::from_zero_to_one, Filled::normally, Filled::around_zero}) {
        all.push_back({inputs, output, depth, filled});
      }
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Of, Sums, testing::ValuesIn(multiplications()),
                         testing::PrintToStringParamName());

// One element of a product by itself.
struct One {
  PatchValues values;
  explicit One(double right, double error) : values{{right}, {error}, {right}} {}
  [[nodiscard]] Misrounding of(DType dtype, float got) const {
    const Bytes bytes = stored(dtype, {got});
    return misrounding_of(dtype, bytes, stored(dtype, {static_cast<float>(values.right[0])}),
                          values);
  }
};

TEST(Misrounding, IsNoneOfTheNearestValue) {
  EXPECT_EQ(One(1000.9, 0).of(DType::bf16, 1000).got, 0);
  EXPECT_EQ(One(1000.9, 0).of(DType::bf16, 1004).got, 1);
}

TEST(Misrounding, IsNoneOfEitherNeighbourOfATie) {
  EXPECT_EQ(One(1002, 0).of(DType::bf16, 1000).got, 0);
  EXPECT_EQ(One(1002, 0).of(DType::bf16, 1004).got, 0);
}

TEST(Misrounding, GoesByTheFinerStepBelowAPowerOfTwo) {
  EXPECT_EQ(One(1023.5, 0).of(DType::bf16, 1024).got, 0);
  EXPECT_EQ(One(1021, 0).of(DType::bf16, 1024).got, 1) << "1020 is nearer";
  EXPECT_EQ(One(1027, 0).of(DType::bf16, 1024).got, 0) << "the next one is 1032";
}

TEST(Misrounding, OfATenthOfAStepIsExpectedOnceInTen) {
  EXPECT_DOUBLE_EQ(One(1000.9, 0.4).of(DType::bf16, 1000).crude, 0.1);
}

TEST(Misrounding, SaysNothingOfWhatOverflows) {
  EXPECT_EQ(One(70000, 1).of(DType::f16, 1).elements, 0U);
}

TEST(Misrounding, OfNotANumberCounts) {
  EXPECT_EQ(One(1000, 0).of(DType::bf16, std::nanf("")).got, 1);
}

TEST(Misrounding, OfFewElementsIsPutDownToChance) {
  const Misrounding few{.elements = 16, .got = 4, .library = 0, .crude = 0.1};
  EXPECT_THAT(complaint(DType::bf16, few), Eq(std::nullopt));
  Misrounding many;
  for (int launch = 0; launch < 16; ++launch) many += few;
  EXPECT_THAT(present(complaint(DType::bf16, many)), HasSubstr("25 % of 256 elements"));
}

TEST(Misrounding, MayBeAsMuchAsTwiceTheLibrarys) {
  EXPECT_FALSE(complaint(DType::bf16, {.elements = 9000, .got = 600, .library = 300, .crude = 1}));
  EXPECT_TRUE(complaint(DType::bf16, {.elements = 9000, .got = 900, .library = 300, .crude = 1}));
}

TEST(PlainProduct, IsNotWhatAReferenceAddsABiasTo) {
  EXPECT_TRUE(is_plain_product(DType::bf16, {.elements = 512, .library = 2, .crude = 1}));
  EXPECT_FALSE(is_plain_product(DType::bf16, {.elements = 512, .library = 500, .crude = 1}));
}

TEST(ProductPatch, IsThatPartOfTheProduct) {
  const std::vector<float> left = {1, 2, 3, 4, 5, 6};             // 2 x 3
  const std::vector<float> right = {1, 0, 2, 0, 1, -1, 1, 1, 0};  // 3 x 3
  const Bytes a = stored(DType::bf16, left);
  const Bytes b = stored(DType::bf16, right);
  const PatchValues values =
      multiply_patch({2, 3, 3}, {DType::bf16, a}, {DType::bf16, b}, {1, 1, 1, 2});
  EXPECT_THAT(values.right, testing::ElementsAre(11, 3));
  EXPECT_THAT(values.magnitudes, testing::ElementsAre(11, 13));
  EXPECT_THAT(values.error, testing::ElementsAre(11 * 0x1p-24, 13 * 0x1p-24)) << "exact in fp32";
}

TEST(Disagreement, CountsElementsButNotTheSignOfAZero) {
  const Bytes one = stored(DType::bf16, {0.0F, 1.0F, 2.0F});
  const Bytes other = stored(DType::bf16, {-0.0F, 1.0F, 3.0F});
  EXPECT_EQ(disagreement_of(DType::bf16, one, other).differing, 1);
  EXPECT_EQ(disagreement_of(DType::bf16, one, other).elements, 3U);
}

}  // namespace
}  // namespace autokernel::trial
