#include "trial/runner/launch_course.h"

#include <gtest/gtest.h>

namespace autokernel::trial {
namespace {

TEST(LaunchCourse, OfAKernelByItselfIsWhatTheLauncherGoesThrough) {
  LaunchCourse course(LaunchCourse::Against::nobody);
  EXPECT_TRUE(course.enter(Phase::check));
  EXPECT_TRUE(course.finish_checks());
  EXPECT_TRUE(course.enter(Phase::harness));
  EXPECT_FALSE(course.is_over());
  EXPECT_TRUE(course.enter(Phase::time));
  EXPECT_TRUE(course.is_over());
}

TEST(LaunchCourse, AgainstAnOpponentIsWhatTheLauncherGoesThrough) {
  LaunchCourse course(LaunchCourse::Against::opponent);
  EXPECT_TRUE(course.enter(Phase::check));
  EXPECT_TRUE(course.enter(Phase::harness));
  EXPECT_TRUE(course.enter(Phase::check));
  EXPECT_TRUE(course.finish_checks());
  EXPECT_TRUE(course.enter(Phase::harness));
  EXPECT_TRUE(course.is_over());
}

// Whoever dies there has the machine blamed for it.
TEST(LaunchCourse, HasNoHarnessWhileTheKernelIsChecked) {
  LaunchCourse course(LaunchCourse::Against::nobody);
  EXPECT_FALSE(course.enter(Phase::harness));
  EXPECT_TRUE(course.enter(Phase::check));
  EXPECT_FALSE(course.enter(Phase::harness));
}

TEST(LaunchCourse, HasNoHarnessOnceTheKernelIsTimed) {
  LaunchCourse course(LaunchCourse::Against::nobody);
  EXPECT_TRUE(course.enter(Phase::check));
  EXPECT_TRUE(course.finish_checks());
  EXPECT_TRUE(course.enter(Phase::harness));
  EXPECT_TRUE(course.enter(Phase::time));
  EXPECT_FALSE(course.enter(Phase::harness));
}

// Each would begin a deadline anew.
TEST(LaunchCourse, HasNoPhaseTwice) {
  LaunchCourse course(LaunchCourse::Against::nobody);
  EXPECT_TRUE(course.enter(Phase::check));
  EXPECT_FALSE(course.enter(Phase::check));
  EXPECT_TRUE(course.finish_checks());
  EXPECT_FALSE(course.finish_checks());
}

TEST(LaunchCourse, HasNoneOfTheRunnersPhases) {
  LaunchCourse course(LaunchCourse::Against::nobody);
  EXPECT_FALSE(course.enter(Phase::start));
  EXPECT_FALSE(course.enter(Phase::queue));
  EXPECT_FALSE(course.enter(Phase::compile));
}

}  // namespace
}  // namespace autokernel::trial
