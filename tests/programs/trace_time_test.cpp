#include "programs/profile/trace_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::programs {
namespace {

using testing::Eq;
using testing::Optional;

TEST(TraceTime, KeepsEachNanosecond) {
  EXPECT_THAT(nanoseconds_in("1650000000123077.123"), Optional(1'650'000'000'123'077'123));
  EXPECT_THAT(nanoseconds_in("0.001"), Optional(1));
  EXPECT_THAT(nanoseconds_in("1250000000417.54"), Optional(1'250'000'000'417'540));
  EXPECT_THAT(nanoseconds_in("12"), Optional(12'000));
}

TEST(TraceTime, IsRoundedBelowThem) {
  EXPECT_THAT(nanoseconds_in("1.0005"), Optional(1001));
  EXPECT_THAT(nanoseconds_in("1.00049"), Optional(1000));
}

TEST(TraceTime, MayBeBeforeTheFirstOne) { EXPECT_THAT(nanoseconds_in("-1.5"), Optional(-1500)); }

TEST(TraceTime, MayHaveAnExponent) {
  EXPECT_THAT(nanoseconds_in("1.5e3"), Optional(1'500'000));
  EXPECT_THAT(nanoseconds_in("1E-3"), Optional(1));
}

TEST(TraceTime, IsNoneForWhatIsNotATime) {
  EXPECT_THAT(nanoseconds_in(""), Eq(std::nullopt));
  EXPECT_THAT(nanoseconds_in("-"), Eq(std::nullopt));
  EXPECT_THAT(nanoseconds_in("1.2.3"), Eq(std::nullopt));
  EXPECT_THAT(nanoseconds_in("noon"), Eq(std::nullopt));
  EXPECT_THAT(nanoseconds_in("9223372036854775807"), Eq(std::nullopt));
  EXPECT_THAT(nanoseconds_in("99999999999999999999999999"), Eq(std::nullopt));
  EXPECT_THAT(nanoseconds_in("1e300"), Eq(std::nullopt));
}

}  // namespace
}  // namespace autokernel::programs
