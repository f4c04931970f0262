#include "autokernel/lab/lengths.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "autokernel/base/error.h"

namespace autokernel::lab {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

std::vector<std::size_t> drawn(const std::string& text, std::size_t count) {
  const LengthDistribution lengths = LengthDistribution::parse(text, "--input-tokens");
  std::vector<std::size_t> all;
  for (std::size_t seed = 0; seed < count; ++seed) all.push_back(lengths.draw(seed));
  return all;
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(LengthDistribution::parse(text, "--input-tokens"));
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    return error.what();
  }
  return "";
}

TEST(Lengths, MayBeFixed) { EXPECT_THAT(drawn("128", 10), Each(128U)); }

TEST(Lengths, MayBeUniformWithBothEnds) {
  const std::vector<std::size_t> all = drawn("3:6", 200);
  EXPECT_THAT(all, Each(AllOf(Ge(3U), Le(6U))));
  EXPECT_THAT(all, Contains(3U));
  EXPECT_THAT(all, Contains(6U));
}

TEST(Lengths, MayBeLognormalAroundTheirMedian) {
  std::vector<std::size_t> all = drawn("lognormal:1000:0.5", 4001);
  std::ranges::sort(all);
  // The median of 4001 values has a standard error of 1 %, and the 84.1th percentile is e^0.5 times
  // as large.
  EXPECT_NEAR(static_cast<double>(all[2000]), 1000, 50);
  EXPECT_NEAR(static_cast<double>(all[3366]), 1648, 100);
}

TEST(Lengths, AreTheSameForTheSameSeed) {
  EXPECT_EQ(drawn("lognormal:100:1", 20), drawn("lognormal:100:1", 20));
}

TEST(Lengths, KeepTheirText) {
  EXPECT_EQ(LengthDistribution::parse("3:6", "--input-tokens").text(), "3:6");
}

TEST(Lengths, ThatMakeNoSenseAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("cannot read the length ''"));
  EXPECT_THAT(refusal("0"), HasSubstr("--input-tokens takes"));
  EXPECT_THAT(refusal("-1"), HasSubstr("from 1 to 1000000"));
  EXPECT_THAT(refusal("6:3"), HasSubstr("'6:3'"));
  EXPECT_THAT(refusal("3:"), HasSubstr("'3:'"));
  EXPECT_THAT(refusal("3:4:5"), HasSubstr("'3:4:5'"));
  EXPECT_THAT(refusal("1000001"), HasSubstr("'1000001'"));
  EXPECT_THAT(refusal("lognormal:100"), HasSubstr("'lognormal:100'"));
  EXPECT_THAT(refusal("lognormal:100:nan"), HasSubstr("'lognormal:100:nan'"));
  EXPECT_THAT(refusal("lognormal:100:4"), HasSubstr("'lognormal:100:4'"));
}

}  // namespace
}  // namespace autokernel::lab
