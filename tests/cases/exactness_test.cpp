#include <gmock/gmock.h>

#include "autokernel/cases/case.h"
#include "cases/sample.h"

namespace autokernel::cases {
namespace {

using testing::HasSubstr;

TEST(Exactness, OfASumOfProductsTakesItsTensorsFromTheReference) {
  const Case problem = parse(sample(), "c");

  const auto& exact = std::get<SumOfProducts>(problem.exactness);
  EXPECT_EQ(exact.left, "A");
  EXPECT_EQ(exact.right, "B");
  EXPECT_EQ(exact.output, "C");
  EXPECT_EQ(exact.symbol, "K");
}

TEST(Exactness, OfASumOfProductsMayNameItsTensors) {
  const std::string text = sample_with(
      "sum_over = \"K\"", "sum_over = \"K\"\nleft = \"A\"\nright = \"B\"\noutput = \"C\"");

  EXPECT_EQ(std::get<SumOfProducts>(parse(text, "c").exactness).right, "B");
}

TEST(Exactness, OfASumOfProductsNeedsTheSharedDimension) {
  EXPECT_EQ(complaint_about(sample_with("sum_over = \"K\"", "sum_over = \"N\"")),
            "some/case/case.toml:39:12: [check] sum_over is \"N\"; name the last dimension of A "
            "(\"K\"), which is the first "
            "of B (\"K\")");
  EXPECT_THAT(complaint_about(sample_with("sum_over = \"K\"\n", "")),
              HasSubstr("sum_over is missing"));
}

TEST(Exactness, MayBeAlwaysOrNever) {
  const std::string sum = "exact = \"sum-of-products\"\nsum_over = \"K\"";

  EXPECT_TRUE(std::holds_alternative<ExactAlways>(parse(kernel_sample(), "c").exactness));
  EXPECT_TRUE(std::holds_alternative<NotExact>(
      parse(sample_with(sum, "exact = \"never\""), "c").exactness));
}

TEST(Exactness, OfAnotherKindHasNoSum) {
  EXPECT_THAT(complaint_about(sample_with("exact = \"sum-of-products\"", "exact = \"always\"")),
              HasSubstr("sum_over does not apply to exact = \"always\""));
}

TEST(Exactness, MustBeStated) {
  EXPECT_THAT(complaint_about(sample_with("exact = \"sum-of-products\"\n", "")),
              HasSubstr("exact is missing; write \"never\", \"always\" or \"sum-of-products\""));
}

TEST(Reference, NamesTensorsThatExist) {
  EXPECT_EQ(complaint_about(sample_with("left = \"A\"", "left = \"D\"")),
            "some/case/case.toml:32:8: [reference] left is \"D\"; write \"A\", \"B\" or \"C\"");
}

TEST(Reference, NamesTensorsOfTheRightRole) {
  EXPECT_THAT(complaint_about(sample_with("left = \"A\"", "left = \"C\"")),
              HasSubstr("left is \"C\", a tensor of role \"out\"; name one of role \"in\""));
}

TEST(Reference, MultipliesMatricesThatFit) {
  EXPECT_THAT(
      complaint_about(sample_with("left = \"A\"\nright = \"B\"", "left = \"B\"\nright = \"A\"")),
      HasSubstr("B [16,32] x A [64,16] does not give C [64,32] (at size \"default\")"));
}

TEST(Reference, MultipliesTensorsOfOneType) {
  EXPECT_THAT(
      complaint_about(sample_with("dtype = \"f16\"", "dtype = \"bf16\"")),
      HasSubstr(
          "A is bf16, B is f16 and C is f32; a matrix product takes two tensors of one type"));
}

TEST(Reference, ThatIsAKernelLiesInTheFolderOfTheCase) {
  const std::string gemm = "kind = \"cublas_gemm\"\nleft = \"A\"\nright = \"B\"\noutput = \"C\"";

  EXPECT_THAT(complaint_about(sample_with(gemm, "kind = \"kernel\"\nfile = \"../reference.cu\"")),
              HasSubstr("write a .cu file in the folder of the case"));
  EXPECT_THAT(complaint_about(sample_with(gemm, "kind = \"kernel\"\nfile = \"/reference.cu\"")),
              HasSubstr("write a .cu file in the folder of the case"));
  EXPECT_THAT(complaint_about(sample_with(gemm, "kind = \"kernel\"\nfile = \"kernel.cu\"")),
              HasSubstr("other than kernel.cu"));
}

TEST(Reference, OfAnUnknownKindIsRefused) {
  EXPECT_THAT(complaint_about(sample_with("\"cublas_gemm\"", "\"cublas_gem\"")),
              HasSubstr("(did you mean \"cublas_gemm\"?)"));
}

}  // namespace
}  // namespace autokernel::cases
