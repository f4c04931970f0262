// What is read while kernels are timed, and which times it makes void.
#include "trial/time/device_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "support/scratch_folder.h"
#include "trial/time/cpu_load.h"

namespace autokernel::trial {
namespace {

using driver::GpuProcess;
using driver::GpuState;
using driver::Throttle;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using Again = DeviceMonitor::Again;
using Sample = DeviceMonitor::Sample;

// A GPU that is as the test wants it.
class OfAGpu : public testing::Test {
 protected:
  OfAGpu() { state_.throttle_reasons = Throttle::kHeatByHardware; }
  [[nodiscard]] std::unique_ptr<DeviceMonitor> monitor() {
    return monitor_gpu({.look =
                            [this] {
                              ++asked_;
                              GpuState state = state_;
                              if (asked_ > hot_) state.throttle_reasons = Throttle::kIdle;
                              return [seen = GpuReading{state, processes_}] { return seen; };
                            },
                        .rest = [this](auto time) { rested_ += time; }});
  }
  // How many samples it takes until one counts.
  [[nodiscard]] static int samples_until_one_counts(DeviceMonitor& monitor) {
    int taken = 1;
    while (monitor.after_sample(Again::possible) == Sample::is_void) ++taken;
    return taken;
  }

  GpuState state_;
  int hot_ = 0;  // so many times
  int asked_ = 0;
  std::optional<std::vector<GpuProcess>> processes_;
  std::chrono::milliseconds rested_{0};
};

TEST_F(OfAGpu, ASampleTakenInHeatIsRedoneAfterARest) {
  hot_ = 3;
  const auto monitor = this->monitor();
  EXPECT_EQ(samples_until_one_counts(*monitor), 4);
  EXPECT_GT(rested_.count(), 0);
  const Conditions conditions = monitor->conditions();
  EXPECT_EQ(conditions.samples_redone, 3);
  EXPECT_THAT(conditions.throttle_reasons, Optional(Throttle::kHeatByHardware | Throttle::kIdle));
  EXPECT_THAT(conditions.unclean, IsEmpty());
  EXPECT_THAT(warnings_of(conditions), IsEmpty());
}

TEST_F(OfAGpu, LastingHeatEndsTheRedoingAndIsReported) {
  hot_ = 1000;
  const auto monitor = this->monitor();
  const int redone = samples_until_one_counts(*monitor) - 1;
  EXPECT_EQ(monitor->after_sample(Again::possible), Sample::counts);
  const Conditions conditions = monitor->conditions();
  EXPECT_EQ(conditions.samples_redone, redone);
  EXPECT_EQ(conditions.unclean, "the GPU was slowed down in 2 of 2 timed launches: it is too hot");
  EXPECT_THAT(warnings_of(conditions), ElementsAre(conditions.unclean));
}

TEST_F(OfAGpu, WhereThereIsNoRoomForMoreOutputsNothingIsRedone) {
  hot_ = 1;
  const auto monitor = this->monitor();
  EXPECT_EQ(monitor->after_sample(Again::impossible), Sample::counts);
  EXPECT_EQ(monitor->conditions().samples_redone, 0);
  EXPECT_THAT(monitor->conditions().unclean, HasSubstr("1 of 1"));
}

TEST_F(OfAGpu, EachReasonOfTheHardwareMakesATimeVoid) {
  hot_ = 1;
  for (const std::uint64_t reason : {Throttle::kHeatBySoftware, Throttle::kHeatByHardware,
                                     Throttle::kPowerBrake, Throttle::kHardware}) {
    asked_ = 0;
    state_.throttle_reasons = reason | Throttle::kPowerCap;
    EXPECT_EQ(monitor()->after_sample(Again::possible), Sample::is_void) << reason;
  }
}

TEST_F(OfAGpu, ItsPowerCapAndClocksThatSomebodySetMakeNoTimeVoid) {
  hot_ = 1;
  for (const std::uint64_t reason :
       {Throttle::kIdle, Throttle::kPowerCap, Throttle::kClocksSet, Throttle::kSyncBoost}) {
    asked_ = 0;
    state_.throttle_reasons = reason;
    EXPECT_EQ(monitor()->after_sample(Again::possible), Sample::counts) << reason;
  }
}

TEST_F(OfAGpu, TheLowestAndTheHighestReadingAreKept) {
  const auto monitor = this->monitor();
  for (const unsigned mhz : {1500U, 1980U, 1200U}) {
    state_.sm_clock_mhz = mhz;
    state_.memory_clock_mhz = 3201U;
    state_.celsius = mhz / 30;
    state_.power_watts = mhz / 4.0;
    static_cast<void>(monitor->after_sample(Again::possible));
  }
  const Conditions conditions = monitor->conditions();
  EXPECT_THAT(conditions.sm_clock_mhz, Optional(Range{1200, 1980}));
  EXPECT_THAT(conditions.memory_clock_mhz, Optional(Range{3201, 3201}));
  EXPECT_THAT(conditions.highest_celsius, Optional(66));
  EXPECT_THAT(conditions.highest_watts, Optional(495));
}

TEST_F(OfAGpu, ThisProgramIsNoOther) {
  const auto monitor = this->monitor();
  processes_ = {{GpuProcess{.id = static_cast<unsigned>(::getpid()), .memory_bytes = {}}}};
  static_cast<void>(monitor->after_sample(Again::possible));
  EXPECT_THAT(monitor->conditions().other_programs, Optional(0));
  EXPECT_THAT(warnings_of(monitor->conditions()), IsEmpty());
}

TEST_F(OfAGpu, TheMostOthersAtATimeAreCountedAlsoWhereThisProgramHasAnotherNumber) {
  const auto monitor = this->monitor();
  const auto alone = std::vector<GpuProcess>(1);
  const auto three = std::vector<GpuProcess>(3);
  processes_ = three;
  static_cast<void>(monitor->after_sample(Again::possible));
  processes_ = alone;
  static_cast<void>(monitor->after_sample(Again::possible));
  EXPECT_THAT(monitor->conditions().other_programs, Optional(2));
  EXPECT_THAT(warnings_of(monitor->conditions()), ElementsAre(HasSubstr("2 other programs use")));
}

TEST_F(OfAGpu, WhatItDoesNotTellStaysEmpty) {
  state_ = {};
  hot_ = 1;
  const auto monitor = this->monitor();
  EXPECT_EQ(monitor->after_sample(Again::possible), Sample::counts);
  EXPECT_EQ(monitor->conditions(), Conditions{});
}

TEST(DeviceMonitor, KnowsNothingOfAGpuWithoutNvml) {
  const auto monitor = monitor_gpu({});
  EXPECT_EQ(monitor->after_sample(Again::possible), Sample::counts);
  EXPECT_EQ(monitor->conditions(), Conditions{});
}

constexpr const char* kStat =
    "cpu  300 60 90 8000 1500 6 7 8 9 10\n"
    "cpu0 100 20 30 4000 500 6 7 8 9 10\n"
    "cpu1 200 40 60 4000 1000 0 0 0 0 0\n"
    "intr 5 6 7\n";

[[nodiscard]] bool all(std::size_t /*cpu*/) { return true; }
[[nodiscard]] bool second(std::size_t cpu) { return cpu == 1; }

TEST(CpuTicks, AreThoseOfTheProcessorsThatCount) {
  EXPECT_THAT(cpu_ticks(kStat, all), Optional(CpuTicks{.busy = 471, .idle = 9500}));
  EXPECT_THAT(cpu_ticks(kStat, second), Optional(CpuTicks{.busy = 300, .idle = 5000}));
}

TEST(CpuTicks, OfATextThatIsCutAreThoseOfItsWholeLines) {
  const std::string text = kStat;
  const std::size_t whole = text.find("intr");
  for (std::size_t length = 0; length < whole; ++length) {
    EXPECT_FALSE(cpu_ticks(text.substr(0, length), second)) << length;
  }
}

TEST(CpuTicks, OfWhatIsNoSuchLineAreNone) {
  EXPECT_FALSE(cpu_ticks("", all));
  EXPECT_FALSE(cpu_ticks("cpu  1 2 3 4 5 6 7 8\n", all)) << "of no processor";
  EXPECT_FALSE(cpu_ticks("cpu0 1 2 3\n", all));
  EXPECT_FALSE(cpu_ticks("cpux 1 2 3 4 5 6 7 8\n", all));
  EXPECT_FALSE(cpu_ticks("cpu0 1 2 3 four 5 6 7 8\n", all));
  EXPECT_FALSE(cpu_ticks("cpu0 1 2 3 -4 5 6 7 8\n", all));
  EXPECT_FALSE(cpu_ticks("cpu0 1 2 3 99999999999999999999 5 6 7 8\n", all));
}

TEST(ShareOfOthers, IsWhatWasBusyBesideUs) {
  const CpuTicks before{.busy = 100, .idle = 1000};
  EXPECT_THAT(share_of_others(before, {.busy = 200, .idle = 1100}, 60), Optional(0.2));
  EXPECT_THAT(share_of_others(before, {.busy = 200, .idle = 1100}, 120), Optional(0.0));
}

TEST(ShareOfOthers, IsUnknownWhereTimeIsShortOrRunsBackwards) {
  const CpuTicks before{.busy = 100, .idle = 1000};
  EXPECT_FALSE(share_of_others(before, {.busy = 105, .idle = 1005}, 0));
  EXPECT_FALSE(share_of_others(before, {.busy = 90, .idle = 2000}, 0));
}

class OfTheHost : public testing::Test {
 protected:
  test::ScratchFolder root_;
};

// The line of one processor, in ticks.
[[nodiscard]] std::string line_of(int cpu, std::uint64_t busy, std::uint64_t idle) {
  return "cpu" + std::to_string(cpu) + " " + std::to_string(busy) + " 0 0 " + std::to_string(idle) +
         " 0 0 0 0 0 0\n";
}

TEST_F(OfTheHost, SeesWhatOthersUseAndWhoSetsTheClock) {
  const int here = ::sched_getcpu();
  root_.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  root_.write("proc/stat", line_of(here, 0, 0));
  const auto monitor = monitor_host({}, root_.path());
  // A day, in which this test uses some milliseconds.
  root_.write("proc/stat", line_of(here, 2160000, 6480000));
  const Conditions conditions = monitor->conditions();
  EXPECT_THAT(conditions.others_cpu_share, Optional(testing::DoubleNear(0.25, 1e-3)));
  EXPECT_THAT(conditions.governor, Optional(std::string("powersave")));
  EXPECT_THAT(warnings_of(conditions), ElementsAre(HasSubstr("25 % of the CPU")));
}

TEST_F(OfTheHost, DoesNotMindWhoWorksWhereThisProcessMayNotRun) {
  const int here = ::sched_getcpu();
  const int elsewhere = here + 1;
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t only_here;
  CPU_ZERO(&only_here);
  CPU_SET(here, &only_here);
  ASSERT_EQ(::sched_setaffinity(0, sizeof only_here, &only_here), 0);
  root_.write("proc/stat", line_of(here, 0, 0) + line_of(elsewhere, 0, 0));
  const auto monitor = monitor_host({}, root_.path());
  root_.write("proc/stat", line_of(here, 0, 8640000) + line_of(elsewhere, 8640000, 0));
  EXPECT_THAT(monitor->conditions().others_cpu_share, Optional(testing::DoubleNear(0, 1e-3)));
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST_F(OfTheHost, KnowsNothingWhereThereIsNoProc) {
  EXPECT_EQ(monitor_host({}, root_.path())->conditions(), Conditions{});
}

}  // namespace
}  // namespace autokernel::trial
