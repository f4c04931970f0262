#include "trial/inputs/indices.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;

constexpr Key kOrder{{7, 8}};

// The first input of a case of one tensor of i32.
[[nodiscard]] std::vector<std::int32_t> drawn(const std::string& fill, int count,
                                              Key key = kOrder) {
  const cases::Case problem = unary_case("i32", fill, count);
  const SizedCase sized(problem, "default");
  std::vector<Bytes> inputs;
  InputMaker().make(sized, InputKind::declared, key, inputs);
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), inputs[0].data(), inputs[0].size());
  return values;
}

TEST(Permutations, HoldEachNumberOnceAtEveryLength) {
  for (const int count : {1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000, 100'003}) {
    std::vector<std::int32_t> values = drawn("fill = \"permutation\"", count);
    std::vector<std::int32_t> all(values.size());
    std::iota(all.begin(), all.end(), 0);
    std::ranges::sort(values);
    EXPECT_EQ(values, all) << count;
  }
}

TEST(Permutations, AreInNoOrderAndOthersForAnotherKey) {
  constexpr int kCount = 10'000;
  const std::vector<std::int32_t> values = drawn("fill = \"permutation\"", kCount);
  int ascents = 0;
  int in_place = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::size_t>(i);
    in_place += values[at] == i ? 1 : 0;
    if (i > 0) ascents += values[at] > values[at - 1] ? 1 : 0;
  }
  EXPECT_NEAR(ascents, 0.5 * kCount, 300);  // standard deviation 29
  EXPECT_LT(in_place, 10);                  // one is expected
  EXPECT_NE(values, drawn("fill = \"permutation\"", kCount, Key{{7, 9}}));
}

TEST(Permutations, OfEachRowAreTheirOwn) {
  const Permutation first(kOrder, 0, 0, 1000);
  const Permutation second(kOrder, 0, 1, 1000);
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) same += first(i) == second(i) ? 1 : 0;
  EXPECT_LT(same, 10);
}

TEST(SortedIndices, AscendWithinTheirRange) {
  for (const int count : {1, 2, 10, 9999}) {
    const auto values = drawn("fill = \"sorted\"\nlow = -5\nhigh = 1000", count);
    EXPECT_TRUE(std::ranges::is_sorted(values)) << count;
    EXPECT_THAT(values, Each(AllOf(Ge(-5), Le(1000)))) << count;
  }
  // Of fewer values than elements some are repeated, of more some are left out.
  const auto few = drawn("fill = \"sorted\"\nlow = 0\nhigh = 9", 1000);
  EXPECT_EQ(std::set<std::int32_t>(few.begin(), few.end()).size(), 10U);
}

TEST(Offsets, GoFromTheFirstToTheLast) {
  for (const int count : {2, 3, 1025}) {
    const auto values = drawn("fill = \"offsets\"\nlow = 0\nhigh = 20000", count);
    EXPECT_TRUE(std::ranges::is_sorted(values)) << count;
    EXPECT_EQ(values.front(), 0) << count;
    EXPECT_EQ(values.back(), 20000) << count;
  }
  // Rows of many lengths.
  const auto values = drawn("fill = \"offsets\"\nlow = 0\nhigh = 20000", 1025);
  std::set<std::int32_t> lengths;
  for (std::size_t i = 1; i < values.size(); ++i) lengths.insert(values[i] - values[i - 1]);
  EXPECT_GT(lengths.size(), 20U);
}

TEST(Indices, HaveBoundsThatFollowFromTheSize) {
  const auto values = drawn("fill = \"integers\"\nlow = 0\nhigh = \"N - 1\"", 50'000);
  EXPECT_THAT(values, Each(AllOf(Ge(0), Le(49'999))));
  EXPECT_GT(*std::ranges::max_element(values), 49'900);
  EXPECT_THAT(drawn("fill = \"integers\"\nlow = 0\nhigh = \"N - 1\"", 1), Each(0));
}

}  // namespace
}  // namespace autokernel::trial
