// A word that is not known here gets the one that was probably meant.
#include "cases/suggestion.h"

#include <gmock/gmock.h>

namespace autokernel::cases {
namespace {

TEST(Suggestion, ForAnotherWordIsOurs) {
  EXPECT_EQ(suggestion("input", {"in", "out", "inout"}), "in");
  EXPECT_EQ(suggestion("Output", {"in", "out", "inout"}), "out");
  EXPECT_EQ(suggestion("read-write", {"in", "out", "inout"}), "inout");
  EXPECT_EQ(suggestion("float16", {"f32", "f16", "bf16"}), "f16");
  EXPECT_EQ(suggestion("gaussian", {"normal", "uniform"}), "normal");
  EXPECT_EQ(suggestion("float8_e4m3fn", {"f32", "e4m3", "e5m2"}), "e4m3");
  EXPECT_EQ(suggestion("fp4", {"f32", "e4m3", "e2m1x2"}), "e2m1x2");
}

TEST(Suggestion, ForAWordWithOtherSignsOrCapitalsIsTheSameWord) {
  EXPECT_EQ(suggestion("IN", {"in", "out"}), "in");
  EXPECT_EQ(suggestion("sum_of_products", {"never", "sum-of-products"}), "sum-of-products");
  EXPECT_EQ(suggestion("in/out", {"in", "out", "inout"}), "inout");
  EXPECT_EQ(suggestion("capSeconds", {"cap_seconds"}), "cap_seconds");
}

TEST(Suggestion, ForAWordOfSeveralMeaningsIsOneThatIsAllowedHere) {
  EXPECT_EQ(suggestion("int", {"f32", "i32"}), "i32");
  EXPECT_EQ(suggestion("int", {"normal", "integers"}), "integers");
  EXPECT_EQ(suggestion("size", {"shape", "name"}), "shape");
  EXPECT_EQ(suggestion("size", {"sizes", "name"}), "sizes");
  EXPECT_EQ(suggestion("baseline", {"reference", "baselines"}), "baselines");
  EXPECT_EQ(suggestion("baseline", {"reference", "check"}), "reference");
}

TEST(Suggestion, ForAMistypedWordIsTheNearest) {
  EXPECT_EQ(suggestion("unifrom", {"normal", "uniform"}), "uniform");
}

TEST(Suggestion, ForNothingLikeItIsNone) {
  EXPECT_EQ(suggestion("temperature", {"in", "out"}), std::nullopt);
  EXPECT_EQ(suggestion("input", {"f32", "bf16"}), std::nullopt);
  EXPECT_EQ(suggestion("-", {"in", "out"}), std::nullopt);
  EXPECT_EQ(suggestion("", {"in", "out"}), std::nullopt);
}

}  // namespace
}  // namespace autokernel::cases
