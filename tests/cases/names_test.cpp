#include "autokernel/cases/names.h"

#include <gmock/gmock.h>

namespace autokernel::cases {
namespace {

TEST(NearestWord, IsTheOneWithTheFewestEdits) {
  EXPECT_EQ(nearest("shpae", {"name", "shape", "fill"}), "shape");
  EXPECT_EQ(nearest("warmup", {"warmups", "samples"}), "warmups");
}

TEST(NearestWord, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest("temperature", {"name", "shape"}), std::nullopt);
  EXPECT_EQ(nearest("zz", {"in", "out"}), std::nullopt);
}

TEST(Identifier, StartsWithALetterAndHasNoOtherMarks) {
  EXPECT_TRUE(is_identifier("M"));
  EXPECT_TRUE(is_identifier("batch_2"));
  EXPECT_FALSE(is_identifier("2M"));
  EXPECT_FALSE(is_identifier("M-1"));
  EXPECT_FALSE(is_identifier(""));
}

TEST(ListOfWords, ReadsLikeASentence) {
  EXPECT_EQ(one_of({"a"}), "a");
  EXPECT_EQ(one_of({"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace autokernel::cases
