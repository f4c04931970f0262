#include "plot/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::plot::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Box kArea{0, 0, 1000, 500};
constexpr double kFont = 15;

TEST(Labels, StandAboveAndLeftOfTheirPoint) {
  const auto labels = place_labels({{{500, 200}, "tiles", 1}}, kArea, kFont, {});
  ASSERT_THAT(labels, SizeIs(1));
  EXPECT_LT(labels[0].box.right, 500);
  EXPECT_GT(labels[0].box.bottom, 200);
  EXPECT_EQ(labels[0].align, Align::right);
}

TEST(Labels, StayInsideAtTheEdges) {
  const auto labels = place_labels(
      {{{2, 200}, "a long name at the left", 1}, {{990, 470}, "at the top", 2}}, kArea, kFont, {});
  ASSERT_THAT(labels, SizeIs(2));
  for (const Label& label : labels) {
    EXPECT_GE(label.box.left, kArea.left);
    EXPECT_LE(label.box.top, kArea.top);
  }
}

TEST(Labels, OfOnePlaceDoNotOverlapAndTheHeaviestIsThere) {
  std::vector<Milestone> crowd;
  crowd.reserve(200);
  for (int i = 0; i < 200; ++i) crowd.push_back({{500, 250}, "idea " + std::to_string(i), 1.0 * i});
  const auto labels = place_labels(crowd, kArea, kFont, {});
  ASSERT_THAT(labels, SizeIs(::testing::AllOf(::testing::Ge(2), ::testing::Le(15))));
  EXPECT_EQ(labels[0].text, "idea 199");
  for (std::size_t a = 0; a < labels.size(); ++a) {
    for (std::size_t b = a + 1; b < labels.size(); ++b)
      EXPECT_FALSE(labels[a].box.overlaps(labels[b].box)) << labels[a].text << labels[b].text;
  }
}

TEST(Labels, ThatFindNoRoomAreLeftOut) {
  EXPECT_THAT(place_labels({{{500, 250}, std::string(200, 'x'), 1}}, kArea, kFont, {}), IsEmpty());
  EXPECT_THAT(place_labels({{{500, 250}, "x", 1}}, kArea, kFont, {kArea}), IsEmpty());
}

TEST(Shortened, CutsBetweenLettersOfAnyScript) {
  EXPECT_EQ(shortened("tiles", 5), "tiles");
  EXPECT_EQ(shortened("larger tiles", 7), "larger\u2026");
  EXPECT_EQ(shortened("größere Kacheln", 4), "grö\u2026");
  EXPECT_EQ(shortened("共享内存分块", 3), "共享\u2026");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(Width, OfSquareLettersIsThatOfSquares) {
  EXPECT_DOUBLE_EQ(width_of("tile"), 4 * width_of("t"));
  EXPECT_DOUBLE_EQ(width_of("größe"), width_of("grosse") - width_of("s"));
  EXPECT_GT(width_of("共享"), 2);
  EXPECT_DOUBLE_EQ(width_of("\u2026"), width_of("."));
}

}  // namespace
}  // namespace autokernel::plot::testing
