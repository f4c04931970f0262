#include "cli/option_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "autokernel/base/error.h"

namespace autokernel::cli {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Architecture, IsOfTheFormThatTheCompilerTakes) {
  EXPECT_NO_THROW(require_architecture(""));
  EXPECT_NO_THROW(require_architecture("sm_80"));
  EXPECT_NO_THROW(require_architecture("sm_90a"));
  EXPECT_NO_THROW(require_architecture("sm_100f"));
  for (const char* text : {"90", "sm_9", "sm_90b", "sm_1000", "compute_90", "sm_90 "}) {
    EXPECT_THAT([&] { require_architecture(text); }, ThrowsMessage<Error>(HasSubstr("--arch")))
        << text;
  }
}

TEST(MinGain, IsAShareOfTheTime) {
  EXPECT_DOUBLE_EQ(min_gain_of(0.5), 0.005);
  EXPECT_DOUBLE_EQ(min_gain_of(99), 0.99);
  for (const double percent : {0.0, -1.0, 100.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT([&] { (void)min_gain_of(percent); }, ThrowsMessage<Error>(HasSubstr("--min-gain")))
        << percent;
  }
}

TEST(Timeout, HoldsForCompilingCheckingAndTiming) {
  const trial::Limits limits = limits_with(7, {});
  EXPECT_EQ(limits.compile_seconds, 7);
  EXPECT_EQ(limits.check_seconds, 7);
  EXPECT_EQ(limits.time_seconds, 7);
  EXPECT_EQ(limits.start_seconds, trial::Limits{}.start_seconds);
  EXPECT_EQ(limits.queue_seconds, trial::Limits{}.queue_seconds);
}

TEST(Timeout, ThatIsNotGivenLeavesTheUsualLimits) {
  const trial::Limits limits = limits_with(std::nullopt, {.check_seconds = 11});
  EXPECT_EQ(limits.check_seconds, 11);
  EXPECT_EQ(limits.compile_seconds, trial::Limits{}.compile_seconds);
}

TEST(Timeout, IsMoreThanNothingAndAtMostADay) {
  EXPECT_NO_THROW((void)limits_with(86400, {}));
  for (const double seconds : {0.0, -1.0, 86401.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT([&] { (void)limits_with(seconds, {}); },
                ThrowsMessage<Error>(HasSubstr("--timeout takes seconds")))
        << seconds;
  }
}

}  // namespace
}  // namespace autokernel::cli
