#include <gmock/gmock.h>

#include "autokernel/cases/case.h"
#include "cases/sample.h"

namespace autokernel::cases {
namespace {

using testing::HasSubstr;

TEST(CaseSizes, HaveNamesOfTheirOwn) {
  const Case problem = parse(sample() + "[sizes.large]\nM = 128\nN = 128\nK = 128\n", "c");

  EXPECT_EQ(problem.sizes.size(), 3U);
  EXPECT_EQ(problem.sizes.at("large").at("K"), 128);
  EXPECT_EQ(problem.sizes.at("check").at("M"), 8);
}

TEST(CaseSizes, AlwaysHoldASmallOneForChecks) {
  EXPECT_EQ(complaint_about(sample_with("[sizes.check]", "[sizes.small]")),
            "some/case/case.toml:3:1: the section [sizes.check] is missing; add it");
}

TEST(CaseSizes, AlwaysHoldADefault) {
  EXPECT_THAT(complaint_about(sample_with("[sizes.default]", "[sizes.usual]")),
              HasSubstr("[sizes.default] is missing"));
}

TEST(CaseSizes, HaveTheSameSymbols) {
  EXPECT_THAT(complaint_about(sample_with("N = 8\n", "")), HasSubstr("[sizes.check] N is missing"));
  EXPECT_THAT(complaint_about(sample_with("N = 8\n", "N = 8\nL = 8\n")),
              HasSubstr("[sizes.check] L is not in [sizes.default]"));
}

TEST(CaseSizes, AreWholeNumbersOfAtLeastOne) {
  EXPECT_THAT(complaint_about(sample_with("N = 8", "N = 0")),
              HasSubstr("[sizes.check] N is 0; write a whole number from 1"));
  EXPECT_THAT(complaint_about(sample_with("N = 8", "N = 8.5")),
              HasSubstr("[sizes.check] N is 8.5; write a whole number"));
  EXPECT_THAT(complaint_about(sample_with("N = 8", "N = \"8\"")),
              HasSubstr("[sizes.check] N is \"8\"; write a whole number"));
}

TEST(CaseSizes, HaveSymbolsThatCppCanUse) {
  EXPECT_THAT(complaint_about(sample_with("M = 64", "int = 64")),
              HasSubstr("int cannot be a size symbol"));
  EXPECT_THAT(complaint_about(sample_with("M = 64", "\"M-1\" = 64")),
              HasSubstr("M-1 cannot be a size symbol"));
}

TEST(Extents, FollowTheSizes) {
  const Case problem = parse(sample(), "c");

  EXPECT_THAT(extents(problem.tensor("A"), problem.sizes.at("default")),
              testing::ElementsAre(64, 16));
  EXPECT_THAT(extents(problem.tensor("A"), problem.sizes.at("check")), testing::ElementsAre(8, 8));
  EXPECT_EQ(element_count(problem.tensor("A"), problem.sizes.at("default")), 1024U);
}

TEST(ProblemLine, HasTheSizesInIt) {
  const Case problem = parse(sample(), "c");

  EXPECT_EQ(problem_line(problem, "default"), "MatMul [64,16] x [16,32]");
}

TEST(DTypes, HaveSizesAndNames) {
  EXPECT_EQ(size_of(DType::f64), 8U);
  EXPECT_EQ(size_of(DType::f32), 4U);
  EXPECT_EQ(size_of(DType::bf16), 2U);
  EXPECT_EQ(size_of(DType::e4m3), 1U);
  EXPECT_EQ(size_of(DType::i16), 2U);
  EXPECT_EQ(size_of(DType::u8), 1U);
  EXPECT_EQ(size_of(DType::boolean), 1U);
  EXPECT_STREQ(spelling(DType::bf16), "bf16");
  EXPECT_STREQ(long_name(DType::bf16), "bfloat16");
  EXPECT_STREQ(cpp_name(DType::e5m2), "__nv_fp8_e5m2");
}

TEST(DTypes, AreFloatingOrWholeAndMayFitAFloat) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::e4m3, DType::e5m2}) {
    EXPECT_TRUE(is_floating(dtype)) << spelling(dtype);
    EXPECT_EQ(fits_float(dtype), dtype != DType::f64) << spelling(dtype);
  }
  for (const DType dtype : {DType::i64, DType::i32, DType::u32}) {
    EXPECT_FALSE(is_floating(dtype) || fits_float(dtype)) << spelling(dtype);
  }
  for (const DType dtype : {DType::i16, DType::i8, DType::u8, DType::boolean}) {
    EXPECT_TRUE(!is_floating(dtype) && fits_float(dtype)) << spelling(dtype);
  }
}

}  // namespace
}  // namespace autokernel::cases
