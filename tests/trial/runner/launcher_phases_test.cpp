#include "trial/runner/launcher_phases.h"

#include <gtest/gtest.h>

namespace autokernel::trial {
namespace {

TEST(LauncherPhases, WithoutAnIncumbentAreThoseOfALauncher) {
  LauncherPhases phases(LauncherPhases::Compared::with_none);
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.enter(Phase::check));
  EXPECT_TRUE(phases.finish_checks());
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_FALSE(phases.is_over());
  EXPECT_TRUE(phases.enter(Phase::time));
  EXPECT_TRUE(phases.is_over());
}

TEST(LauncherPhases, WithAnIncumbentAreThoseOfALauncher) {
  LauncherPhases phases(LauncherPhases::Compared::with_incumbent);
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.enter(Phase::check));
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.enter(Phase::check));
  EXPECT_TRUE(phases.finish_checks());
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.is_over());
}

// Whoever dies there has the machine blamed for it.
TEST(LauncherPhases, HasNoHarnessWhileTheKernelIsChecked) {
  LauncherPhases phases(LauncherPhases::Compared::with_none);
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_FALSE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.enter(Phase::check));
  EXPECT_FALSE(phases.enter(Phase::harness));
}

TEST(LauncherPhases, HasNoHarnessOnceTheKernelIsTimed) {
  LauncherPhases phases(LauncherPhases::Compared::with_none);
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.enter(Phase::check));
  EXPECT_TRUE(phases.finish_checks());
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.enter(Phase::time));
  EXPECT_FALSE(phases.enter(Phase::harness));
}

// Each would begin a deadline anew.
TEST(LauncherPhases, HasNoPhaseTwice) {
  LauncherPhases phases(LauncherPhases::Compared::with_none);
  EXPECT_TRUE(phases.enter(Phase::harness));
  EXPECT_TRUE(phases.enter(Phase::check));
  EXPECT_FALSE(phases.enter(Phase::check));
  EXPECT_TRUE(phases.finish_checks());
  EXPECT_FALSE(phases.finish_checks());
}

TEST(LauncherPhases, HasNoneOfTheRunnersPhases) {
  LauncherPhases phases(LauncherPhases::Compared::with_none);
  EXPECT_FALSE(phases.enter(Phase::start));
  EXPECT_FALSE(phases.enter(Phase::queue));
  EXPECT_FALSE(phases.enter(Phase::compile));
}

}  // namespace
}  // namespace autokernel::trial
