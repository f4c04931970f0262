#include "programs/profile/launch_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::programs {
namespace {

using testing::Field;
using testing::IsNull;
using testing::Pointee;

Call call(std::int64_t correlation, std::uint32_t process, Nanoseconds start,
          CallKind kind = CallKind::kernel_launch) {
  return {.correlation = correlation, .process = process, .kind = kind, .start = start};
}

TEST(KindOfCall, IsToldByTheFunction) {
  EXPECT_EQ(kind_of_call("cudaLaunchKernel"), CallKind::kernel_launch);
  EXPECT_EQ(kind_of_call("cudaLaunchKernelExC_v11060"), CallKind::kernel_launch);
  EXPECT_EQ(kind_of_call("cuLaunchKernelEx"), CallKind::kernel_launch);
  EXPECT_EQ(kind_of_call("cudaLaunchCooperativeKernel_ptsz"), CallKind::kernel_launch);
  EXPECT_EQ(kind_of_call("hipExtModuleLaunchKernel"), CallKind::kernel_launch);
  EXPECT_EQ(kind_of_call("cudaGraphLaunch_v10000"), CallKind::graph_launch);
  EXPECT_EQ(kind_of_call("cuGraphLaunch"), CallKind::graph_launch);
  EXPECT_EQ(kind_of_call("hipGraphLaunch"), CallKind::graph_launch);
}

TEST(KindOfCall, IsAnotherOneForWhatLaunchesNothingOnADevice) {
  EXPECT_EQ(kind_of_call("cudaMemcpyAsync"), CallKind::other);
  EXPECT_EQ(kind_of_call("cudaLaunchHostFunc_v10000"), CallKind::other);
  EXPECT_EQ(kind_of_call("cudaGraphKernelNodeSetParams"), CallKind::other);
  EXPECT_EQ(kind_of_call("Launch"), CallKind::other);
  EXPECT_EQ(kind_of_call(""), CallKind::other);
}

TEST(LaunchCalls, AreFoundByTheirCorrelation) {
  const LaunchCalls calls({call(7, 0, 70), call(5, 0, 50)});
  EXPECT_THAT(calls.of(7, std::nullopt, 100), Pointee(Field(&Call::start, 70)));
  EXPECT_THAT(calls.of(6, std::nullopt, 100), IsNull());
}

TEST(LaunchCalls, WithoutACorrelationAreNobodys) {
  EXPECT_THAT(LaunchCalls({call(0, 0, 1)}).of(0, std::nullopt, 2), IsNull());
}

TEST(LaunchCalls, AreThoseOfTheProcessOfTheWork) {
  const LaunchCalls calls({call(7, 0, 70), call(7, 1, 80)});
  EXPECT_THAT(calls.of(7, 0, 100), Pointee(Field(&Call::start, 70)));
  EXPECT_THAT(calls.of(7, 2, 100), IsNull());
}

TEST(LaunchCalls, OfUnknownProcessesAreTheLastOnesBefore) {
  const LaunchCalls calls({call(7, 2, 90), call(7, 0, 70), call(7, 1, 80)});
  EXPECT_THAT(calls.of(7, std::nullopt, 85), Pointee(Field(&Call::start, 80)));
  EXPECT_THAT(calls.of(7, std::nullopt, 95), Pointee(Field(&Call::start, 90)));
}

TEST(LaunchCalls, MaySeemToComeAfterTheWork) {
  EXPECT_THAT(LaunchCalls({call(7, 0, 70)}).of(7, std::nullopt, 69),
              Pointee(Field(&Call::start, 70)));
}

TEST(LaunchCalls, AreCounted) {
  const LaunchCalls calls({call(1, 0, 1), call(2, 0, 2, CallKind::graph_launch), call(1, 1, 3),
                           call(3, 0, 4, CallKind::other), call(0, 0, 5), call(0, 0, 6)});
  EXPECT_EQ(calls.launches(), 5);
  EXPECT_EQ(calls.graph_launches(), 1);
}

TEST(LaunchCalls, OfTheDriverWithinOnesOfTheRuntimeAreCountedOnce) {
  EXPECT_EQ(LaunchCalls({call(1, 0, 1), call(1, 0, 2)}).launches(), 1);
}

}  // namespace
}  // namespace autokernel::programs
