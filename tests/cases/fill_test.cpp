#include <gmock/gmock.h>

#include "autokernel/cases/case.h"
#include "cases/sample.h"

namespace autokernel::cases {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A case with another input, of one dimension of M elements: 64, and 8 at the size "check".
[[nodiscard]] std::string with_tensor(const std::string& lines) {
  return sample_with("[reference]", "[[tensor]]\nname = \"u\"\nrole = \"in\"\nshape = [\"M\"]\n" +
                                        lines + "\n[reference]");
}
[[nodiscard]] Tensor tensor_of(const std::string& lines) {
  return parse(with_tensor(lines), "c").tensor("u");
}
[[nodiscard]] Sizes default_sizes() { return parse(sample(), "c").sizes.at("default"); }
[[nodiscard]] Sizes check_sizes() { return parse(sample(), "c").sizes.at("check"); }

TEST(Fills, HaveBoundsThatFollowFromTheSizes) {
  const Tensor indices =
      tensor_of("dtype = \"i32\"\nfill = \"integers\"\nlow = 0\nhigh = \"M - 1\"");
  EXPECT_EQ(fill_at(indices.fill, default_sizes()).high,
            static_cast<double>(default_sizes().at("M") - 1));
  EXPECT_EQ(fill_at(indices.fill, check_sizes()).high,
            static_cast<double>(check_sizes().at("M") - 1));
  EXPECT_EQ(fill_at(indices.fill, check_sizes()).low, 0);
}

TEST(Fills, WithBoundsThatNoTypeHoldsAreRefusedWithTheSize) {
  const std::string integers = "fill = \"integers\"\nlow = 0\nhigh = ";
  EXPECT_THAT(complaint_about(with_tensor("dtype = \"u8\"\n" + integers + "\"1000 * M\"")),
              AllOf(HasSubstr("[[tensor]] u high is"), HasSubstr("at size \""),
                    HasSubstr("a whole number that u8 holds exactly")));
  EXPECT_THAT(complaint_about(with_tensor("dtype = \"i32\"\n" + integers + "\"M / 3\"")),
              HasSubstr("a whole number that i32 holds exactly"));
  EXPECT_THAT(complaint_about(with_tensor("dtype = \"i32\"\n" + integers + "\"0 - M\"")),
              AllOf(HasSubstr("at size \""), HasSubstr("write more than low")));
  EXPECT_THAT(complaint_about(with_tensor("dtype = \"i32\"\n" + integers + "\"M - Z\"")),
              AllOf(HasSubstr("high, at size"), HasSubstr("\"Z\" is not a size symbol")));
}

TEST(Fills, OfIndicesGoWithIntegerTypes) {
  EXPECT_EQ(tensor_of("dtype = \"i64\"\nfill = \"permutation\"").fill.distribution,
            Distribution::permutation);
  EXPECT_EQ(tensor_of("dtype = \"u32\"\nfill = \"sorted\"\nlow = 0\nhigh = 9").fill.distribution,
            Distribution::sorted);
  EXPECT_EQ(
      tensor_of("dtype = \"i32\"\nfill = \"offsets\"\nlow = 0\nhigh = \"M*N\"").fill.distribution,
      Distribution::offsets);
  EXPECT_THAT(
      complaint_about(with_tensor("dtype = \"f32\"\nfill = \"permutation\"")),
      HasSubstr(R"(is "permutation"; write "normal", "uniform", "integers" or "captured")"));
  EXPECT_THAT(complaint_about(with_tensor("dtype = \"i32\"\nfill = \"permutation\"\nhigh = 3")),
              HasSubstr("high does not apply to fill \"permutation\" (each of 0, 1, ... once)"));
}

TEST(Fills, OfIndicesFitTheLastDimension) {
  const std::string wide = "[[tensor]]\nname = \"u\"\nrole = \"in\"\nshape = [\"1000*M\"]\n";
  EXPECT_THAT(complaint_about(sample_with("[reference]", wide + "dtype = \"u8\"\nfill = "
                                                                "\"permutation\"\n[reference]")),
              AllOf(HasSubstr("u shape has a last dimension of"), HasSubstr("u8 ends at 255")));
  EXPECT_THAT(complaint_about(sample_with(
                  "[reference]",
                  "[[tensor]]\nname = \"u\"\nrole = \"in\"\nshape = [\"M\", \"1\"]\ndtype = "
                  "\"i32\"\nfill = \"offsets\"\nlow = 0\nhigh = 9\n[reference]")),
              HasSubstr("offsets have a first and a last one"));
}

TEST(Fills, OfAScalarMayFollowFromTheSizes) {
  const Case problem = parse(kernel_sample() +
                                 "[[scalar]]\nname = \"scale\"\ndtype = \"f32\"\nvalue = "
                                 "\"N ^ -0.5\"\n[[scalar]]\nname = \"last\"\ndtype = "
                                 "\"i32\"\nvalue = \"N - 1\"\n",
                             "c");
  const Sizes& sizes = problem.sizes.at("default");
  const auto n = static_cast<double>(sizes.at("N"));
  const Fill scale = fill_at(problem.tensor("scale").fill, sizes);
  EXPECT_DOUBLE_EQ(scale.low, 1 / std::sqrt(n));
  EXPECT_EQ(scale.low, scale.high);
  EXPECT_EQ(fill_at(problem.tensor("last").fill, sizes).low, n - 1);
  EXPECT_THAT(complaint_about(kernel_sample() +
                              "[[scalar]]\nname = \"n\"\ndtype = \"i32\"\nvalue = \"N / 7.5\"\n"),
              HasSubstr("[[scalar]] n value is"));
}

}  // namespace
}  // namespace autokernel::cases
