#include "plot/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plot/histories.h"
#include "plot/script.h"

namespace autokernel::plot::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every experiment lies inside its panel, failed ones beside all that has a value.
TEST(Layout, PlacesEveryExperimentInsideItsPanel) {
  for (const int count : {1, 2, 5, 34, 95, 2000}) {
    const History history = history_of(count);
    const Layout layout = lay_out(history, {});
    for (const Panel* panel : {&layout.throughput, &layout.time}) {
      for (std::size_t i = 0; i < history.experiments.size(); ++i) {
        const Point at = layout.place(*panel, i);
        EXPECT_GE(at.x, layout.left * layout.canvas.width);
        EXPECT_LE(at.x, layout.right * layout.canvas.width);
        EXPECT_GE(at.y, panel->bottom * layout.canvas.height);
        EXPECT_LE(at.y, panel->top * layout.canvas.height);
      }
      for (const auto& value : panel->values) {
        if (!value) continue;
        EXPECT_EQ(panel->more_is_better, *value > panel->failed_at) << count;
      }
    }
  }
}

TEST(Layout, LabelsOfMilestonesNeverOverlap) {
  for (const int count : {5, 34, 95, 2000}) {
    const History history = history_of(count);
    const auto labels = milestones(lay_out(history, {}), history);
    if (count > 10) {
      EXPECT_FALSE(labels.empty()) << count;
    }
    for (std::size_t a = 0; a < labels.size(); ++a) {
      for (std::size_t b = a + 1; b < labels.size(); ++b)
        EXPECT_FALSE(labels[a].box.overlaps(labels[b].box)) << count;
    }
  }
}

TEST(Layout, OfTimesWithoutTflopsIsRelativeToTheBaseline) {
  History history;
  history.experiments = {kept(400), kept(100)};
  for (Experiment& experiment : history.experiments) experiment.tflops_s = 0.01;
  const Layout layout = lay_out(history, {});
  EXPECT_THAT(layout.throughput.title, HasSubstr("as fast as the baseline"));
  EXPECT_DOUBLE_EQ(layout.throughput.values[1].value_or(0), 4);
}

TEST(Layout, ALibraryFarAwayDoesNotPressTheExperimentsTogether) {
  History history;
  history.experiments = {kept(400), kept(300)};
  history.library_us = 8;
  const Layout layout = lay_out(history, {});
  const auto far = [](const Panel& panel) {
    return std::ranges::count_if(panel.lines, &ReferenceLine::beyond);
  };
  EXPECT_EQ(far(layout.throughput), 1);
  EXPECT_EQ(far(layout.time), 1);
  EXPECT_LT(layout.throughput.axis.high, 10);

  history.library_us = 250;
  EXPECT_EQ(far(lay_out(history, {}).throughput), 0);
}

TEST(Layout, ARooflineIsALineOfBothPanels) {
  History history;
  history.experiments = {kept(400), kept(300)};
  history.roofline_us = 200;
  const Layout layout = lay_out(history, {});
  ASSERT_EQ(layout.time.lines.size(), 2U);
  EXPECT_EQ(layout.time.lines[1].mark, Mark::roofline);
  EXPECT_DOUBLE_EQ(layout.time.lines[1].value, 200);
  EXPECT_EQ(layout.time.lines[1].text, "roofline 200.0 us");
  // 2000 / us, as the experiments of these tests have it.
  EXPECT_NEAR(layout.throughput.lines[1].value, 10, 1e-9);
  EXPECT_THAT(script(layout, history, Format::png, {}), HasSubstr("'roofline 10'"));
}

TEST(Layout, ATimeOfZeroIsNotDrawnAndBreaksNothing) {
  History history;
  history.experiments = {kept(400), discarded(100)};
  history.experiments[1].time_us = 0;
  const Layout layout = lay_out(history, {});
  EXPECT_FALSE(layout.time.values[1].has_value());
  EXPECT_FALSE(layout.throughput.values[1].has_value());
}

TEST(Quotes, LeaveGnuplotNothingToRun) {
  EXPECT_EQ(in_quotes("it's `touch x` \"q\" \\n @m"), "'it’s `touch x` \"q\" \\n @m'");
  EXPECT_EQ(in_quotes("two\nlines\tand\x7f"), "'two lines and '");
}

TEST(Script, HasNoPlotWithoutAnythingToDraw) {
  History history;
  history.experiments = {failed()};
  const std::string text = script(lay_out(history, {}), history, Format::png, {});
  EXPECT_THAT(text, HasSubstr("plot $up2"));
  EXPECT_THAT(text, Not(HasSubstr("$upbest using")));
}

// pngcairo takes points, of which 0.75 are a pixel, and svg takes pixels.
TEST(Script, HasLettersOfOneSizeInEveryFormat) {
  const History history;
  const Canvas canvas{.font = 20};
  EXPECT_THAT(script(lay_out(history, canvas), history, Format::png, {}),
              HasSubstr("font 'DejaVu Sans,15'"));
  EXPECT_THAT(script(lay_out(history, canvas), history, Format::svg, {}),
              HasSubstr("font 'DejaVu Sans, Verdana, sans-serif,20'"));
}

}  // namespace
}  // namespace autokernel::plot::testing
