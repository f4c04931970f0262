#include "autokernel/trial/kernel_signature.h"

#include <gmock/gmock.h>

#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const cases::Case& problem, OutputType outputs) {
  std::vector<std::string> all;
  for (const compile::Argument& each : signature(problem, outputs)) {
    if (!each.is_size) all.push_back(each.text);
  }
  return all;
}

TEST(KernelSignature, HasAPointerForEachTensorInTheTypeOfItsElements) {
  EXPECT_THAT(texts(product_case("bf16", "f32", 16, 16, 16), OutputType::declared),
              ElementsAre("const __nv_bfloat16* A", "const __nv_bfloat16* B", "float* C"));
  EXPECT_THAT(texts(product_case("f16", "f16", 16, 16, 16), OutputType::declared),
              ElementsAre("const __half* A", "const __half* B", "__half* C"));
}

TEST(KernelSignature, EndsWithTheSizesThatALaunchMayAskFor) {
  const auto arguments = signature(product_case("bf16", "f32", 16, 16, 16), OutputType::declared);

  ASSERT_EQ(arguments.size(), 6U);
  EXPECT_EQ(arguments[0].name, "A");
  EXPECT_EQ(arguments[3].name, "K");
  EXPECT_EQ(arguments[3].text, "int K");
  EXPECT_TRUE(arguments[5].is_size);
}

TEST(KernelSignature, OfAReferenceInFp64WritesDoubles) {
  EXPECT_THAT(texts(product_case("f16", "f16", 16, 16, 16), OutputType::fp64),
              ElementsAre("const __half* A", "const __half* B", "double* C"));
}

TEST(KernelSignature, OfWholeNumbersIsTheSameInFp64) {
  const std::string integers = "fill = \"integers\"\nlow = 0\nhigh = 9";

  EXPECT_THAT(texts(unary_case("i32", integers, 16), OutputType::fp64),
              ElementsAre("const int* x", "int* y"));
  EXPECT_THAT(texts(unary_case("u8", integers, 16), OutputType::fp64),
              ElementsAre("const unsigned char* x", "unsigned char* y"));
}

}  // namespace
}  // namespace autokernel::trial
