#include "notify/retry_pause.h"

#include <gmock/gmock.h>

namespace autokernel::notify {
namespace {

using std::chrono::milliseconds;
using testing::Optional;

constexpr DeliveryLimits kLimits{.first_pause = milliseconds{1000},
                                 .longest_pause = milliseconds{6000},
                                 .longest_retry_after = milliseconds{30'000}};

TEST(RetryPause, DoublesUpToTheLongest) {
  EXPECT_THAT(pause_after(1, "", 1, kLimits), Optional(milliseconds{1000}));
  EXPECT_THAT(pause_after(2, "", 1, kLimits), Optional(milliseconds{2000}));
  EXPECT_THAT(pause_after(3, "", 1, kLimits), Optional(milliseconds{4000}));
  EXPECT_THAT(pause_after(4, "", 1, kLimits), Optional(milliseconds{6000}));
  EXPECT_THAT(pause_after(1000, "", 1, kLimits), Optional(milliseconds{6000}));
}

TEST(RetryPause, IsShorterByChance) {
  EXPECT_THAT(pause_after(1, "", 0, kLimits), Optional(milliseconds{500}));
  EXPECT_THAT(pause_after(1, "", 0.5, kLimits), Optional(milliseconds{750}));
}

TEST(RetryPause, IsAtLeastWhatTheServiceAsksFor) {
  EXPECT_THAT(pause_after(1, "7", 1, kLimits), Optional(milliseconds{7000}));
  EXPECT_THAT(pause_after(3, "1", 1, kLimits), Optional(milliseconds{4000}));
  EXPECT_THAT(pause_after(1, "30", 1, kLimits), Optional(milliseconds{30'000}));
}

TEST(RetryPause, IsNoneWhereTheServiceAsksForTooLong) {
  EXPECT_FALSE(pause_after(1, "31", 1, kLimits));
  EXPECT_FALSE(pause_after(1, "99999999999999999999999999", 1, kLimits));
}

TEST(RetryPause, IgnoresWhatIsNoWholeNumber) {
  for (const char* text : {"-1", "1.5", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", " 7"}) {
    EXPECT_THAT(pause_after(1, text, 1, kLimits), Optional(milliseconds{1000})) << text;
  }
}

}  // namespace
}  // namespace autokernel::notify
