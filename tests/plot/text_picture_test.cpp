#include "plot/text_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "plot/histories.h"

namespace autokernel::plot::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

TEST(TextPicture, HasItsWordsWholeHoweverNarrowTheTerminalIs) {
  History history;
  history.experiments = {kept(400), kept(100)};
  history.confirmed = Confirmed{.ratio = 4, .low = 3.9, .high = 4.1, .processes = 5};
  for (const int columns : {20, 40, 80}) {
    const std::string words = words_above(history, story_of(history), columns);
    std::string joined = words;
    std::ranges::replace(joined, '\n', ' ');
    EXPECT_THAT(joined, HasSubstr("4.00 times as fast as the baseline, confirmed in 5 processes "
                                  "(95 %: 3.90 to 4.10) O kept, o discarded, x failed"));
    std::istringstream lines(words);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_THAT(line, SizeIs(Le(static_cast<std::size_t>(columns))));
    }
  }
}

TEST(TextPicture, LosesTheFormFeedAndTheBlanksAroundIt) {
  EXPECT_EQ(without_margins("\f      \n  a  b  \n\n  c\n   \n\n"), "  a  b\n\n  c\n");
  EXPECT_EQ(without_margins("\f \n"), "");
}

TEST(TextPicture, LeavesThePictureRoomUnderManyWords) {
  EXPECT_EQ(lines_below("a\nb\n", 40), 38);
  EXPECT_EQ(lines_below("a\nb\n", 10), 18);
}

}  // namespace
}  // namespace autokernel::plot::testing
