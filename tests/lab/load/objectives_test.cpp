#include <gmock/gmock.h>

#include "autokernel/base/error.h"
#include "autokernel/lab/load_figures.h"
#include "support/present.h"

namespace autokernel::lab {
namespace {

using test::present;

TEST(Objectives, AreTimesWithUnits) {
  const Objectives objectives = Objectives::parse("ttft=200ms,tpot=500us,e2e=1.5s");
  EXPECT_DOUBLE_EQ(present(objectives.ttft), 0.2);
  EXPECT_DOUBLE_EQ(present(objectives.tpot), 0.0005);
  EXPECT_DOUBLE_EQ(present(objectives.e2e), 1.5);
  EXPECT_FALSE(objectives.itl);
}

TEST(Objectives, ThatMakeNoSenseAreRefused) {
  EXPECT_THROW(static_cast<void>(Objectives::parse("")), Error);
  EXPECT_THROW(static_cast<void>(Objectives::parse("ttft")), Error);
  EXPECT_THROW(static_cast<void>(Objectives::parse("ttft=200")), Error);
  EXPECT_THROW(static_cast<void>(Objectives::parse("ttft=-1ms")), Error);
  EXPECT_THROW(static_cast<void>(Objectives::parse("ttft=nanms")), Error);
  EXPECT_THROW(static_cast<void>(Objectives::parse("latency=1s")), Error);
  EXPECT_THROW(static_cast<void>(Objectives::parse("ttft=1s,")), Error);
}

}  // namespace
}  // namespace autokernel::lab
