#include "trial/inputs/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"

namespace autokernel::trial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Keys, AreFreshAndNotedByTheirLaunch) {
  Keys keys;
  const Key one = keys.draw("check launch 1");
  const Key other = keys.draw("timed launch 1");
  EXPECT_NE(one, other);
  EXPECT_THAT(keys.drawn(), ElementsAre(LaunchKey{"check launch 1", hexadecimal(one)},
                                        LaunchKey{"timed launch 1", hexadecimal(other)}));
}

TEST(Keys, OfATrialToBeReplayedComeBackByTheirLaunch) {
  Keys first;
  const Key one = first.draw("check launch 1");
  const Key other = first.draw("timed launch 1");
  Keys again(first.drawn());
  EXPECT_EQ(again.draw("timed launch 1"), other);
  EXPECT_EQ(again.draw("check launch 1"), one);
}

TEST(Keys, OfALaunchThatWasRepeatedComeBackInTheirOrder) {
  Keys keys(std::vector<LaunchKey>{{"timed launch 1", "0000000000000001"},
                                   {"timed launch 1", "0000000000000002"}});
  EXPECT_EQ(hexadecimal(keys.draw("timed launch 1")), "0000000000000001");
  EXPECT_EQ(hexadecimal(keys.draw("timed launch 1")), "0000000000000002");
}

TEST(Keys, OfALaunchThatWasNotRecordedAreFresh) {
  Keys keys(std::vector<LaunchKey>{{"timed launch 1", "0000000000000001"}});
  EXPECT_EQ(hexadecimal(keys.draw("timed launch 1")), "0000000000000001");
  EXPECT_NE(hexadecimal(keys.draw("timed launch 1")), "0000000000000001");
}

TEST(Keys, ThatAreNoneAreRefusedWithTheirLaunch) {
  for (const char* key : {"", "1", "000000000000000g", "00000000000000001", "-000000000000001"}) {
    EXPECT_THAT([&] { Keys(std::vector<LaunchKey>{{"timed launch 7", key}}); },
                ThrowsMessage<Error>(HasSubstr("timed launch 7")))
        << key;
  }
}

}  // namespace
}  // namespace autokernel::trial
