// The protocol for GPUs, followed call by call on a driver that writes down what is queued.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "autokernel/base/error.h"
#include "trial/inputs/case_text.h"
#include "trial/launch/memory_driver.h"
#include "trial/runner/launch_account.h"
#include "trial/time/gpu_tools.h"
#include "trial/time/plausible_times.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

compile::Program program(const std::string& kernel) {
  compile::Program program;
  program.cubin.resize(1);
  program.declaration.launches.push_back({kernel, {1, 1, 1}, {1, 1, 1}, 0});
  return program;
}

// Finds the time of one launch void: that of the number `hot`.
class HotMonitor : public DeviceMonitor {
 public:
  [[nodiscard]] Sample after_sample(Again again) override {
    again_ = again;
    return ++samples_ == hot && again == Again::possible ? Sample::is_void : Sample::counts;
  }
  [[nodiscard]] Conditions conditions() const override { return {}; }
  [[nodiscard]] Again last_again() const { return again_; }

  int hot = 0;

 private:
  int samples_ = 0;
  Again again_ = Again::possible;
};

class KeptRecords : public RecordSink {
 public:
  void take(LaunchRecord record, const Operands& operands, const Staging& /*staging*/) override {
    record.outputs = operands.outputs();
    kept.push_back(std::move(record));
  }
  std::vector<LaunchRecord> kept;
};

class OnAGpu : public ::testing::Test {
 protected:
  OnAGpu()
      : problem_(product_case("bf16", "bf16", 8, 16, 32)),
        sized_(problem_, "default"),
        program_(program("matmul")),
        tools_(program("harness_empty")) {
    program_.parameters["matmul"] = {{0, 8}, {8, 8}, {16, 8}};
  }

  Candidate candidate() {
    auto loading = Candidate::load(memory_.device(), program_, sized_);
    return std::get<Candidate>(std::move(loading));
  }

  Timing timing() {
    const TimingTask task{memory_.device(),        sized_,  maker_, source_, keys_, records_,
                          problem_.timing.samples, monitor_};
    return gpu_stopwatch(task, nullptr, tools_)->time(program_, nullptr);
  }
  // Why the runner does not believe those times; empty where it does.
  std::string doubt() {
    const Timing taken = timing();
    const auto rejected = implausible(memory_.device().info(), sized_, std::get<Timed>(taken));
    return rejected ? rejected->reason : "";
  }

  MemoryDriver memory_;
  cases::Case problem_;
  SizedCase sized_;
  compile::Program program_;
  compile::Program tools_;
  InputMaker maker_;
  HostOperands source_{memory_.device(), maker_};
  Keys keys_;
  KeptRecords records_;
  HotMonitor monitor_;
};

TEST_F(OnAGpu, TakesAllTheSamplesWithFiguresThatOnlyAGpuHas) {
  const Timing timing = this->timing();

  ASSERT_TRUE(std::holds_alternative<Timed>(timing)) << std::get<Rejection>(timing).reason;
  const auto& timed = std::get<Timed>(timing);
  EXPECT_EQ(timed.samples_us.size(), 50U);
  EXPECT_NEAR(timed.samples_us[0], 100, 1e-3);
  EXPECT_NEAR(timed.warm_us.value_or(0), 100, 1e-3);
  EXPECT_NEAR(timed.event_floor_us.value_or(0), 100, 1e-3);
}

TEST_F(OnAGpu, EveryTimedLaunchAndTheFirstWarmUpIsKeptToBeJudged) {
  static_cast<void>(timing());

  const std::vector<LaunchRecord>& records = records_.kept;
  ASSERT_EQ(records.size(), 51U);
  EXPECT_EQ(records[0].input_kind, InputKind::declared);
  // On exact inputs and on those of the case by turns.
  EXPECT_EQ(records[49].input_kind, InputKind::exact);
  EXPECT_EQ(records[50].input_kind, InputKind::declared);
  EXPECT_EQ(records[50].name, "timed launch 50");
}

TEST_F(OnAGpu, ATimedLaunchStandsBehindAGateAndAFlushBetweenItsEvents) {
  static_cast<void>(timing());

  // The last flush before the candidate is that of the last sample: launches for the warm figure
  // have none.
  const std::vector<std::string>& journal = memory_.journal;
  std::size_t flush = journal.size() - 3;
  while (journal[flush] != "launch harness_read" || journal[flush + 2] != "launch matmul") --flush;
  EXPECT_THAT(std::vector<std::string>(&journal[flush - 3], &journal[flush + 5]),
              ElementsAre("reset L2", "launch harness_gate", "launch harness_write",
                          "launch harness_read", "record", "launch matmul", "record", "wait"));
}

TEST_F(OnAGpu, TheGateIsOpenedBeforeAnybodyWaits) {
  const std::uint32_t* flags = nullptr;
  bool closed_while_queueing = false;
  memory_.kernels["harness_gate"] = [&](void** parameters) {
    flags = *static_cast<const std::uint32_t**>(parameters[0]);
    closed_while_queueing = flags[0] == 0;
  };
  GpuTools tools(memory_.device(), tools_);
  const Candidate loaded = candidate();
  KernelLauncher launcher(memory_.device(), loaded, sized_, source_, 1);
  BehindGate gate(tools, Flush::no);

  static_cast<void>(
      launcher.launch(InputKind::exact, keys_.draw("a launch"), "a launch", gate, records_));

  ASSERT_NE(flags, nullptr);
  EXPECT_TRUE(closed_while_queueing);
  EXPECT_EQ(flags[0], 1U);
}

TEST_F(OnAGpu, AGateThatGivesUpOnceCostsOneMoreLaunch) {
  int gates = 0;
  memory_.kernels["harness_gate"] = [&](void** parameters) {
    // That of a timed launch: those before the empty kernel come later.
    if (++gates == 30) (*static_cast<std::uint32_t**>(parameters[0]))[1] = 1;
  };
  const Timing timing = this->timing();

  const auto& timed = std::get<Timed>(timing);
  EXPECT_EQ(timed.samples_us.size(), 50U);
  EXPECT_EQ(records_.kept.size(), 52U) << "the launch that was not timed is judged too";
}

TEST_F(OnAGpu, ALaunchWhoseTimeIsVoidIsTakenAgainAndJudged) {
  monitor_.hot = 30;
  const Timing timing = this->timing();

  const auto& timed = std::get<Timed>(timing);
  EXPECT_EQ(timed.samples_us.size(), 50U);
  EXPECT_EQ(records_.kept.size(), 52U) << "the launch that was not timed is judged too";
  EXPECT_EQ(records_.kept[30].name, records_.kept[31].name);
}

TEST_F(OnAGpu, AGateThatAlwaysGivesUpIsAnError) {
  memory_.kernels["harness_gate"] = [](void** parameters) {
    (*static_cast<std::uint32_t**>(parameters[0]))[1] = 1;
  };
  EXPECT_THROW(static_cast<void>(timing()), Error);
}

TEST_F(OnAGpu, AKernelThatIsFasterThanTheDeviceIsNotBelieved) {
  memory_.microseconds = 0;

  EXPECT_THAT(doubt(), HasSubstr("less than"));
}

TEST_F(OnAGpu, TimeStampsThatTheHostsClockContradictsAreNotBelieved) {
  memory_.kernels["matmul"] = [](void**) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  };

  EXPECT_THAT(doubt(), HasSubstr("time stamps do not hold"));
}

TEST_F(OnAGpu, BuffersRotateThroughFourTimesTheL2) {
  std::set<void*> outputs;
  memory_.kernels["matmul"] = [&](void** parameters) {
    outputs.insert(*static_cast<void**>(parameters[2]));
  };
  static_cast<void>(timing());

  // 64 KiB of L2, and 1,792 bytes of tensors in a set; never more than 64 sets.
  EXPECT_EQ(outputs.size(), 64U);
}

// The runner's side of a launcher that is honest: whatever is not in its plan ends the test.
class Accounting : public KeySource, public RecordSink, public DeviceMonitor {
 public:
  Accounting(const SizedCase& sized, const LaunchPlan& plan)
      : account_({&sized, &sized}, plan, keys_) {}

  [[nodiscard]] Key draw(const std::string& launch) override {
    const auto key = account_.draw(launch);
    EXPECT_TRUE(key.has_value()) << launch;
    return key.value_or(Key{});
  }
  void take(LaunchRecord record, const Operands& operands, const Staging& /*staging*/) override {
    EXPECT_EQ(account_.deliver({record.name, record.sized->size_name, record.input_kind},
                               [&](LaunchRecord& taken) { taken.outputs = operands.outputs(); }),
              "");
    ++waiting_;
  }
  // There is room for so many.
  void judge_after(int launches) { room_ = launches; }
  [[nodiscard]] bool is_full() const override { return room_ > 0 && waiting_ >= room_; }
  void have_judged() override {
    EXPECT_EQ(account_.refuse_batch(), "");
    account_.note_batch();
    waiting_ = 0;
    ++batches_;
  }
  [[nodiscard]] int batches() const { return batches_; }
  // Every seventh time is void.
  [[nodiscard]] Sample after_sample(Again again) override {
    EXPECT_EQ(account_.refuse_sample(), "");
    const bool is_void = ++samples_ % 7 == 0 && again == Again::possible;
    account_.note_sample(is_void ? LaunchAccount::Sampled::is_void
                                 : LaunchAccount::Sampled::counts);
    return is_void ? Sample::is_void : Sample::counts;
  }
  [[nodiscard]] Conditions conditions() const override { return {}; }

  [[nodiscard]] LaunchAccount& account() { return account_; }

 private:
  Keys keys_;
  LaunchAccount account_;
  int samples_ = 0;
  int room_ = 0;
  int waiting_ = 0;
  int batches_ = 0;
};

constexpr std::chrono::hours kLong{1};

TEST_F(OnAGpu, WhatIsLaunchedIsWhatTheRunnerHasInItsPlan) {
  Accounting runner(sized_, {.on_gpu = true, .is_checked = false, .samples = 50});
  const TimingTask task{memory_.device(), sized_, maker_, source_, runner, runner, 50, runner};
  runner.account().begin_timing();

  const Timing timing = gpu_stopwatch(task, nullptr, tools_)->time(program_, nullptr);

  EXPECT_EQ(runner.account().misfit(std::get<Timed>(timing), kLong), "");
}

TEST_F(OnAGpu, WhatIsLaunchedAgainstAnIncumbentIsWhatTheRunnerHasInItsPlan) {
  Accounting runner(sized_,
                    {.on_gpu = true, .is_checked = false, .has_incumbent = true, .samples = 50});
  const TimingTask task{memory_.device(), sized_, maker_, source_, runner, runner, 50, runner};
  TimedIncumbent incumbent{program_, Pairing("the incumbent", 0.01)};

  const auto stopwatch = gpu_stopwatch(task, nullptr, tools_);
  std::vector<std::vector<double>> alone;
  alone.push_back(std::get<std::vector<double>>(stopwatch->time_alone(incumbent)));
  runner.account().begin_timing();
  Timed timed = std::get<Timed>(stopwatch->time(program_, &incumbent));
  alone.push_back(std::get<std::vector<double>>(stopwatch->time_alone(incumbent)));
  timed.alone_us = std::move(alone);

  EXPECT_EQ(runner.account().misfit(timed, kLong), "");
}

// Outputs that are so large that few of them find room.
TEST_F(OnAGpu, WhatIsLaunchedAfterABatchIsWhatTheRunnerHasInItsPlan) {
  for (const int room : {1, 2, 7}) {
    Accounting runner(sized_,
                      {.on_gpu = true, .is_checked = false, .has_incumbent = true, .samples = 20});
    runner.judge_after(room);
    const TimingTask task{memory_.device(), sized_, maker_, source_, runner, runner, 20, runner};
    TimedIncumbent incumbent{program_, Pairing("the incumbent", 0.01)};

    const auto stopwatch = gpu_stopwatch(task, nullptr, tools_);
    std::vector<std::vector<double>> alone;
    alone.push_back(std::get<std::vector<double>>(stopwatch->time_alone(incumbent)));
    runner.account().begin_timing();
    Timed timed = std::get<Timed>(stopwatch->time(program_, &incumbent));
    alone.push_back(std::get<std::vector<double>>(stopwatch->time_alone(incumbent)));
    timed.alone_us = std::move(alone);

    EXPECT_EQ(runner.account().misfit(timed, kLong), "");
    EXPECT_GE(timed.samples_us.size(), 20U);
    // One launch at least in each, and the warm-up before it.
    EXPECT_GE(runner.batches(), 20 / (room + 1)) << room;
  }
}

TEST_F(OnAGpu, WhatIsLaunchedForTimesAloneIsWhatTheRunnerHasInItsPlan) {
  Accounting runner(sized_,
                    {.on_gpu = true, .is_checked = false, .times_only = true, .samples = 45});
  TimingTask task{memory_.device(), sized_, maker_, source_, runner, runner, 45, runner};
  task.times_only = true;
  runner.account().begin_timing();

  const Timing timing = gpu_stopwatch(task, nullptr, tools_)->time(program_, nullptr);

  const auto& timed = std::get<Timed>(timing);
  EXPECT_EQ(timed.samples_us.size(), 45U);
  EXPECT_FALSE(timed.event_floor_us.has_value());
  EXPECT_EQ(runner.account().misfit(timed, kLong), "");
}

// One launch of a kernel that writes where the test says; what is said of it.
class Trespass : public OnAGpu {
 protected:
  std::string reason(std::size_t parameter, std::ptrdiff_t byte) {
    memory_.kernels["matmul"] = [=](void** parameters) {
      (*static_cast<unsigned char**>(parameters[parameter]))[byte] ^= 0xffU;
    };
    const Candidate loaded = candidate();
    KernelLauncher launcher(memory_.device(), loaded, sized_, source_, 1);
    LaunchSetup none;
    const Launching launching = launcher.launch(InputKind::exact, keys_.draw("timed launch 3"),
                                                "timed launch 3", none, records_);
    const auto* rejected = std::get_if<Rejection>(&launching);
    return rejected != nullptr ? rejected->reason : "";
  }
};

constexpr std::ptrdiff_t kOutputBytes = std::ptrdiff_t{8} * 16 * 2;

TEST_F(Trespass, InsideTheOutputIsNone) {
  EXPECT_EQ(reason(2, 0), "");
  EXPECT_EQ(reason(2, kOutputBytes - 1), "");
}

TEST_F(Trespass, PastTheEndIsSeen) {
  EXPECT_EQ(reason(2, kOutputBytes),
            "the kernel wrote where it must not: it wrote 1 bytes past the end of C (exact inputs, "
            "timed launch 3)");
}

TEST_F(Trespass, BeforeTheBeginningIsSeen) {
  EXPECT_THAT(reason(0, -1), HasSubstr("it wrote 1 bytes before the beginning of A"));
}

TEST_F(Trespass, IntoAnInputIsSeenWithBothValues) {
  EXPECT_THAT(reason(1, std::ptrdiff_t{2} * (3 * 16 + 5)),
              HasSubstr("it changed its input B[3,5] = "));
}

}  // namespace
}  // namespace autokernel::trial
