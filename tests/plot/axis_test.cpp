#include "plot/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::plot::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(Axis, FromZeroHasRoomAboveAndRoundTicks) {
  const Axis axis = axis_from_zero({4.9, 11.8});
  EXPECT_GT(axis.high, 11.8);
  EXPECT_LT(axis.low, 0);
  EXPECT_THAT(axis.ticks, ElementsAre(0, 2, 4, 6, 8, 10, 12));
}

TEST(Axis, OfNothingIsStillOne) {
  EXPECT_GT(axis_from_zero({}).high, axis_from_zero({}).low);
  EXPECT_GT(axis_around({}).high, axis_around({}).low);
}

TEST(Axis, IsLogarithmicOnlyWhereTheRangeAsksForIt) {
  EXPECT_FALSE(axis_around({100, 400}).logarithmic);
  const Axis wide = axis_around({8, 440});
  EXPECT_TRUE(wide.logarithmic);
  EXPECT_THAT(wide.ticks, ElementsAre(10, 20, 50, 100, 200, 500));
}

TEST(Axis, OfAHugeRangeHasFewTicks) {
  const Axis axis = axis_around({1e-3, 1e9});
  EXPECT_LE(axis.ticks.size(), 10U);
  EXPECT_GE(axis.ticks.size(), 3U);
}

TEST(Axis, PlacesValuesBetweenItsEnds) {
  const Axis linear{.low = 10, .high = 20, .logarithmic = false, .ticks = {}};
  EXPECT_DOUBLE_EQ(linear.position(15), 0.5);
  const Axis logarithmic{.low = 1, .high = 100, .logarithmic = true, .ticks = {}};
  EXPECT_DOUBLE_EQ(logarithmic.position(10), 0.5);
}

TEST(Axis, OfNumbersHasWholeTicks) {
  EXPECT_THAT(axis_of_numbers(1).ticks, ElementsAre(0, 1));
  EXPECT_THAT(axis_of_numbers(5).ticks, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(axis_of_numbers(2000).ticks, SizeIs(::testing::Le(8)));
}

TEST(TickText, LeavesOutDigitsThatSayNothing) {
  EXPECT_EQ(tick_text(0.5), "0.5");
  EXPECT_EQ(tick_text(3 * 0.1), "0.3");
  EXPECT_EQ(tick_text(20000), "20000");
  EXPECT_EQ(tick_text(5e7), "5e+07");
}

}  // namespace
}  // namespace autokernel::plot::testing
