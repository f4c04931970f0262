#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "autokernel/base/error.h"
#include "trial/check/reference.h"
#include "trial/decide/statistics.h"
#include "trial/time/device_warm_up.h"
#include "trial/time/gpu_tools.h"
#include "trial/time/harness_sequence.h"
#include "trial/time/plausible_times.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

// Fewer warm-ups than the case asks for, or less time, is too little.
constexpr double kWarmUpSeconds = std::chrono::duration<double>(kDeviceWarmUp).count();
// Loading a kernel and its buffers anew takes less, and so does going from one process to the next;
// clocks do not fall so soon.
constexpr std::chrono::milliseconds kStaysWarm{200};
// Buffers rotate through this many times the L2, so that a set's last use has left it.
constexpr std::uint64_t kRotatedL2 = 4;
constexpr std::size_t kMostSets = 64;
constexpr int kFloorSamples = 20;
constexpr int kDefaultModeSamples = 20;
// Enough for a mean that can be compared with that of the pairs, few enough to cost little.
constexpr int kAloneSamples = 20;
// The cross-check by the host's clock: so many launches in a row, or as many as fit into the time.
// Long kernels need fewer for the same precision: what the host adds at both ends is some 10 us,
// 0.05 % of that time.
constexpr int kRow = 200;
constexpr double kRowSeconds = 0.02;
constexpr int kShortestRow = 3;
// Rows at most, of which the least counts: what else a machine does makes some of them longer, and
// nothing makes one shorter.
constexpr int kRows = 20;

std::size_t sets_for(const driver::Device& device, const SizedCase& sized) {
  std::uint64_t bytes = 0;
  for (const SizedTensor& tensor : sized.tensors) bytes += tensor.bytes;
  const std::uint64_t wanted =
      kRotatedL2 * device.info().l2_bytes / std::max<std::uint64_t>(1, bytes) + 1;
  return std::clamp<std::size_t>(wanted, 2, kMostSets);
}

// The library's product, timed beside a candidate.
class LibrarySequence {
 public:
  LibrarySequence(const Cublas& library, const TimingTask& task, const cases::GemmReference& gemm)
      : library_(&library), operands_(task.device, task.sized, task.operands, task.keys, gemm) {}

  void queue(Cublas::Sums sums, const driver::Stream& stream) const {
    library_->queue(operands_.product(), operands_.left(), operands_.right(), operands_.output(),
                    sums, stream);
  }

 private:
  const Cublas* library_;
  ProductOperands operands_;
};

// By the host's clock: event time stamps are written by the device that a candidate runs on.
std::variant<HostRow, Rejection> time_row(KernelLauncher& launcher,
                                          const compile::Declaration& declaration, double warm_us) {
  // The zeroing of a workspace, and setting objects back, are queued like a launch.
  const std::size_t queued = declaration.launches.size() + (declaration.workspace_zeroed ? 1 : 0) +
                             launcher.queued_restore_cost();
  HostRow least{row_launches(warm_us), static_cast<int>(queued),
                std::numeric_limits<double>::infinity()};
  for (int i = 0; i < kRows && !clocks_agree(least, warm_us); ++i) {
    const auto row = launcher.back_to_back(least.launches);
    if (const auto* rejected = std::get_if<Rejection>(&row)) return *rejected;
    least.microseconds = std::min(least.microseconds, std::get<double>(row));
  }
  return least;
}

// The GPU is looked at while the launch behind the gate is held against its inputs: asking the
// driver takes as long.
class WatchedGate : public BehindGate {
 public:
  WatchedGate(GpuTools& tools, Flush flush, DeviceMonitor& monitor)
      : BehindGate(tools, flush), monitor_(&monitor) {}
  void over() override { monitor_->look(); }

 private:
  DeviceMonitor* monitor_;
};

class GpuStopwatch : public Stopwatch {
 public:
  GpuStopwatch(const TimingTask& task, const Cublas* library, const compile::Program& program)
      : Stopwatch(task, kAloneSamples),
        tools_(task.device, program),
        sequence_(task.device, tools_),
        last_warm_(task.device_worked_at.value_or(Clock::time_point{})) {
    const auto* gemm = std::get_if<cases::GemmReference>(&task.sized.problem->reference);
    if (library != nullptr && gemm != nullptr) {
      library_.emplace(*library, task, *gemm);
      // Unblocked, as the candidate's warm-ups: the library loads its kernels at their first use.
      const driver::Stream stream = task.device.make_stream();
      library_->queue(Cublas::Sums::fp32, stream);
      library_->queue(Cublas::Sums::any, stream);
      expect_sound(stream.wait(), "the library");
    }
  }

  [[nodiscard]] Timing time(const compile::Program& candidate, TimedIncumbent* incumbent) override {
    Timed timed;
    const double cap_seconds = task().sized.problem->timing.cap_seconds;
    const Caps caps{cap_seconds, cap_seconds};
    auto rejected = take_samples(candidate, incumbent, caps, timed,
                                 [&](Loaded& loaded) { return take_other_figures(loaded, timed); });
    if (rejected) return *std::move(rejected);
    return timed;
  }

 protected:
  [[nodiscard]] KernelLauncher launcher(const Candidate& candidate) const override {
    return {task().device, candidate, task().sized, task().operands,
            sets_for(task().device, task().sized)};
  }

  // Runs unblocked, so that whatever is loaded lazily is loaded before a gate closes.
  [[nodiscard]] std::optional<Rejection> warm_up(KernelLauncher& launcher, LaunchKind kind,
                                                 RecordSink& first) override {
    LaunchSetup none;
    NoRecords none_judged;
    const auto begin = Clock::now();
    const bool is_warm = begin - last_warm_ < kStaysWarm;
    for (int i = 1; i <= kMostWarmUps; ++i) {
      // A device that is at work already needs its kernel loaded, and no more.
      if (is_warm && i > 1) break;
      if (i > task().sized.problem->timing.warmups && seconds_since(begin) >= kWarmUpSeconds) break;
      const InputKind input_kind =
          i == 1 ? InputKind::declared : timed_input_kind(*task().sized.problem);
      const std::string name = launch_name(kind, i);
      // Judging them all would cost more than it finds: the first is the check on declared inputs.
      RecordSink& records = i == 1 ? first : none_judged;
      Launching launching =
          launcher.launch(input_kind, task().keys.draw(name), name, none, records);
      if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
    }
    last_warm_ = Clock::now();
    return std::nullopt;
  }

  [[nodiscard]] Launching sample(KernelLauncher& launcher, InputKind input_kind,
                                 const std::string& name, RecordSink& records) override {
    Launching sampled = sample_behind_gate(launcher, input_kind, name, Flush::yes, records);
    last_warm_ = Clock::now();
    return sampled;
  }
  [[nodiscard]] bool samples_library(int launch) const override {
    return library_.has_value() && launch % launches_per_library_sample(true) == 0;
  }
  [[nodiscard]] double sample_library() override { return sample_library(Cublas::Sums::fp32); }

 private:
  // What is measured once, of the candidate by itself.
  [[nodiscard]] std::optional<Rejection> take_other_figures(Loaded& loaded, Timed& timed) {
    if (!task().times_only) timed.event_floor_us = event_floor_us();
    if (library_) timed.library_default_us = library_default_us();
    auto warm = time_warm(loaded.launcher);
    if (auto* rejected = std::get_if<Rejection>(&warm)) return std::move(*rejected);
    timed.warm_us = std::get<double>(warm);
    auto row = time_row(loaded.launcher, loaded.candidate.declaration(), *timed.warm_us);
    if (auto* rejected = std::get_if<Rejection>(&row)) return std::move(*rejected);
    timed.host_row = std::get<HostRow>(row);
    return std::nullopt;
  }

  // Launches until the gate held and nothing slowed the GPU down; a launch that is void for one or
  // the other is judged like any other but not timed.
  [[nodiscard]] Launching sample_behind_gate(KernelLauncher& launcher, InputKind input_kind,
                                             const std::string& name, Flush flush,
                                             RecordSink& records) {
    double slowest_us = 0;  // of those that are launched again for what the kernel did
    for (int gates_given_up = 0; gates_given_up < kGateAttempts;) {
      WatchedGate gate(tools_, flush, task().monitor);
      Launching launching =
          launcher.launch(input_kind, task().keys.draw(name), name, gate, records);
      if (std::holds_alternative<Rejection>(launching)) return launching;
      if (tools_.gate_gave_up()) {
        ++gates_given_up;
      } else if (auto& launched = std::get<Launched>(launching); launched.is_underpriced) {
        slowest_us = std::max(slowest_us, launched.microseconds);
      } else if (task().monitor.after_sample(repeats()) == DeviceMonitor::Sample::counts) {
        launched.microseconds = std::max(slowest_us, launched.microseconds);
        return launching;
      }
      repeated_bytes_ += task().sized.output_bytes();
    }
    throw Error(Stop::environment, "cannot time the kernel: queueing it waits for the device");
  }

  // A launch that is repeated leaves its outputs to be judged, and memory is bounded.
  [[nodiscard]] DeviceMonitor::Again repeats() const {
    const bool room = repeated_bytes_ + task().sized.output_bytes() <= kRepeatedMemory;
    return room ? DeviceMonitor::Again::possible : DeviceMonitor::Again::impossible;
  }

  [[nodiscard]] double sample_library(Cublas::Sums sums) {
    return sequence_.sample([&](const driver::Stream& stream) { library_->queue(sums, stream); },
                            "the library");
  }

  [[nodiscard]] double event_floor_us() {
    std::vector<double> samples;
    samples.reserve(kFloorSamples);
    for (int i = 0; i < kFloorSamples; ++i) {
      samples.push_back(sequence_.sample(
          [&](const driver::Stream& stream) { tools_.nothing(stream); }, "an empty kernel"));
    }
    return median(std::move(samples));
  }

  [[nodiscard]] double library_default_us() {
    std::vector<double> samples;
    samples.reserve(kDefaultModeSamples);
    for (int i = 0; i < kDefaultModeSamples; ++i) {
      samples.push_back(sample_library(Cublas::Sums::any));
    }
    return median(std::move(samples));
  }

  // The median without a flush, microseconds.
  [[nodiscard]] std::variant<double, Rejection> time_warm(KernelLauncher& launcher) {
    std::vector<double> samples;
    const int wanted = warm_samples(task().times_only);
    NoRecords not_judged;  // the warm figure decides nothing
    for (int i = 1; i <= wanted; ++i) {
      auto sampled = sample_behind_gate(launcher, sampled_input_kind(*task().sized.problem, i),
                                        launch_name(LaunchKind::warm, i), Flush::no, not_judged);
      if (auto* rejected = std::get_if<Rejection>(&sampled)) return std::move(*rejected);
      samples.push_back(std::get<Launched>(sampled).microseconds);
    }
    return median(std::move(samples));
  }

  GpuTools tools_;
  HarnessSequence sequence_;
  std::optional<LibrarySequence> library_;
  Clock::time_point last_warm_;
  std::uint64_t repeated_bytes_ = 0;
};

}  // namespace

int row_launches(double warm_us) {
  const double fitting = kRowSeconds * 1e6 / std::max(warm_us, 1.0);
  return std::clamp(static_cast<int>(fitting), kShortestRow, kRow);
}

std::unique_ptr<Stopwatch> gpu_stopwatch(const TimingTask& task, const Cublas* library,
                                         const compile::Program& tools) {
  return std::make_unique<GpuStopwatch>(task, library, tools);
}

}  // namespace autokernel::trial
