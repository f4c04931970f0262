#include "trial/inputs/exact_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "trial/inputs/case_text.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/inputs.h"

namespace autokernel::trial {
namespace {

using cases::DType;

std::vector<float> floats(const SizedTensor& tensor, const Bytes& bytes) {
  std::vector<float> values(tensor.count);
  to_floats(tensor.tensor->dtype, bytes, values);
  return values;
}

TEST(WholeLimits, OfAThousandBf16ProductsAreSevenBitsOnBothSides) {
  const WholeLimits limits = whole_limits(DType::bf16, DType::bf16, 1024, Wider::left);
  EXPECT_EQ(limits.left, 127);
  EXPECT_EQ(limits.right, 127);
}

TEST(WholeLimits, OfF16AreTenBitsByFew) {
  const WholeLimits limits = whole_limits(DType::f16, DType::f16, 1024, Wider::left);
  EXPECT_EQ(limits.left, 1023);
  EXPECT_EQ(limits.right, 16);
}

TEST(WholeLimits, SwapWithTheWiderSide) {
  const WholeLimits limits = whole_limits(DType::f32, DType::f32, 1024, Wider::right);
  EXPECT_EQ(limits.right, 8191);
  EXPECT_EQ(limits.left, 2);
}

struct Depth {
  DType dtype;
  std::int64_t summed;
};
class AnyDepth : public ::testing::TestWithParam<Depth> {};

TEST_P(AnyDepth, KeepsEverySumExactInFloat) {
  const auto [dtype, summed] = GetParam();
  const WholeLimits limits = whole_limits(dtype, dtype, summed, Wider::left);
  EXPECT_GE(limits.left, 1);
  EXPECT_GE(limits.right, 1);
  EXPECT_LT(summed * limits.left * limits.right, 1 << 24);
}

INSTANTIATE_TEST_SUITE_P(Each, AnyDepth,
                         ::testing::Values(Depth{DType::bf16, 1}, Depth{DType::bf16, 4096},
                                           Depth{DType::bf16, 1 << 20}, Depth{DType::f16, 16},
                                           Depth{DType::f16, 16384}, Depth{DType::f16, 1 << 22},
                                           Depth{DType::f32, 256}, Depth{DType::f32, 2048},
                                           Depth{DType::f32, 65536},
                                           Depth{DType::f32, (1 << 24) - 1}));

class ExactProduct : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

// Summed forwards and backwards in float, and in double: if all three agree to the bit, every order
// does.
TEST_P(ExactProduct, IsTheSameInEveryOrderOfSummation) {
  const auto& [input, output] = GetParam();
  constexpr std::size_t kRows = 9;
  constexpr std::size_t kColumns = 11;
  constexpr std::size_t kDepth = 513;
  const cases::Case problem = product_case(input, output, kRows, kColumns, kDepth);
  const SizedCase sized(problem, "default");
  std::vector<Bytes> inputs;
  InputMaker().make(sized, InputKind::exact, draw_key(), inputs);
  const std::vector<float> a = floats(sized.tensors[0], inputs[0]);
  const std::vector<float> b = floats(sized.tensors[1], inputs[1]);
  const float largest_output = output == "f16" ? 65504.0F : 1e38F;

  int disagreeing = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      float forwards = 0;
      float backwards = 0;
      double wide = 0;
      for (std::size_t k = 0; k < kDepth; ++k) {
        const std::size_t back = kDepth - 1 - k;
        forwards += a[r * kDepth + k] * b[k * kColumns + c];
        backwards += a[r * kDepth + back] * b[back * kColumns + c];
        wide += static_cast<double>(a[r * kDepth + k]) * static_cast<double>(b[k * kColumns + c]);
      }
      const bool agree = forwards == backwards && static_cast<double>(forwards) == wide;
      disagreeing += agree && std::fabs(forwards) <= largest_output ? 0 : 1;
    }
  }
  EXPECT_EQ(disagreeing, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, ExactProduct,
                         ::testing::Values(std::pair{"bf16", "bf16"}, std::pair{"bf16", "f32"},
                                           std::pair{"f16", "f16"}, std::pair{"f16", "f32"},
                                           std::pair{"f32", "f32"}, std::pair{"f32", "f16"}));

TEST(ExactInputs, HideTheirWholenessBehindAPowerPerRow) {
  const cases::Case problem = product_case("bf16", "bf16", 64, 64, 256);
  const SizedCase sized(problem, "default");
  std::vector<Bytes> inputs;
  InputMaker().make(sized, InputKind::exact, draw_key(), inputs);
  const std::vector<float> a = floats(sized.tensors[0], inputs[0]);
  std::set<float> largest_of_rows;
  for (std::size_t r = 0; r < 64; ++r) {
    const auto row = a.begin() + static_cast<std::ptrdiff_t>(r * 256);
    largest_of_rows.insert(*std::max_element(row, row + 256));
  }
  // Powers from 2^-6 to 2^6: rows whose largest entries are the same number of times 2^r apart.
  EXPECT_GT(*largest_of_rows.rbegin() / *largest_of_rows.begin(), 100);
}

TEST(ExactInputs, NeedMoreBitsThanTf32Has) {
  const cases::Case problem = product_case("f32", "f32", 32, 32, 64);
  const SizedCase sized(problem, "default");
  std::vector<Bytes> inputs;
  InputMaker().make(sized, InputKind::exact, draw_key(), inputs);
  std::vector<float> values = floats(sized.tensors[0], inputs[0]);
  const std::vector<float> right = floats(sized.tensors[1], inputs[1]);
  values.insert(values.end(), right.begin(), right.end());
  const auto needs_more = [](float value) {
    int exponent = 0;
    const float scaled =
        std::frexp(value, &exponent) * 0x1p11F;  // 11 significant bits would make it whole
    return scaled != std::trunc(scaled);
  };
  EXPECT_GT(std::count_if(values.begin(), values.end(), needs_more), 500);
}

}  // namespace
}  // namespace autokernel::trial
