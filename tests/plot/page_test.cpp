#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plot/histories.h"
#include "plot/html.h"

namespace autokernel::plot::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSvg = "<?xml version=\"1.0\"?>\n<svg width=\"9\"><g></g></svg>\n";

TEST(Page, HoldsThePictureAMarkForEachPanelAndARowForEachExperiment) {
  const History history = history_of(12);
  const std::string text = page(kSvg, lay_out(history, {}), history);
  EXPECT_THAT(text, Not(HasSubstr("<?xml")));
  std::size_t circles = 0;
  for (std::size_t at = 0; (at = text.find("<circle", at)) != std::string::npos; ++at) ++circles;
  EXPECT_EQ(circles, 24U);
  EXPECT_THAT(text, HasSubstr("<tr id=\"e11\""));
  EXPECT_LT(text.find("<circle"), text.find("</svg>"));
}

TEST(Page, ShowsMarkupAsItWasWritten) {
  History history;
  history.experiments = {kept(100, "<script>alert('x')</script> & \"tiles\"")};
  const std::string text = page(kSvg, lay_out(history, {}), history);
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;alert('x')&lt;/script&gt; &amp; &quot;tiles&quot;"));
}

TEST(Page, SaysHowSureATimeIs) {
  History history;
  history.experiments = {kept(100)};
  history.experiments[0].interval_us = Interval{98, 103};
  EXPECT_THAT(page(kSvg, lay_out(history, {}), history), HasSubstr("95 %: 98.00 us to 103.0 us"));
}

}  // namespace
}  // namespace autokernel::plot::testing
