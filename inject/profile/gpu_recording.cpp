#include "gpu_recording.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "activity_buffers.h"
#include "activity_lines.h"
#include "cupti_library.h"
#include "device_lines.h"
#include "driver_library.h"
#include "kept_errno.h"
#include "launches.h"
#include "lock.h"
#include "made.h"
#include "now.h"
#include "recorder.h"

namespace recording {
namespace {

constexpr const char* kOtherProfiler =
    "another profiler has CUPTI in this process (PyTorch's profiler, nsys or ncu): run without it, "
    "or give its trace to `autokernel profile --import`";

class GpuRecording {
 public:
  explicit GpuRecording(Recorder& recorder, const CuptiLibrary& cupti)
      : recorder_(recorder), cupti_(cupti), driver_(find_driver()), lines_(recorder.gpu_file) {}

  // Success, or what CUPTI said.
  [[nodiscard]] cupti::Result start();
  [[nodiscard]] const Recorder* owner() const { return &recorder_; }
  // Not in a child that was forked.
  [[nodiscard]] bool is_of_this_process() const { return ::getpid() == process_; }
  [[nodiscard]] ActivityBuffers& buffers() { return buffers_; }
  [[nodiscard]] bool has_started() const { return started_.load(std::memory_order_acquire); }
  void completed(ActivityBuffers::Filled filled);
  void flush(Moment moment);

 private:
  [[nodiscard]] bool is_due(Moment moment);
  void write_lines();
  void measure_clock();
  void warn_of_missing_records();

  Recorder& recorder_;
  const pid_t process_ = ::getpid();
  const CuptiLibrary cupti_;
  const DriverLibrary driver_;
  DeviceLines devices_{driver_, recorder_.gpu_file};
  Launches launches_{recorder_, driver_, devices_};
  cupti::Subscriber subscriber_ = nullptr;
  std::atomic<bool> started_{false};
  ActivityBuffers buffers_;
  bool has_our_clock_ = false;
  std::atomic<std::int64_t> to_our_clock_{0};
  static constexpr std::uint64_t kFirstPeriod = 100'000'000;  // nanoseconds
  static constexpr std::uint64_t kLongestPeriod = 1'000'000'000;
  std::uint64_t period_ = kFirstPeriod;
  std::uint64_t next_flush_ = 0;
  Lock lines_lock_;
  ActivityLines lines_;
};

constinit std::atomic<GpuRecording*> the_recording{nullptr};
constinit std::atomic<Recorder*> tried_for{nullptr};

// Null in a child that was forked, where CUPTI refused, and after the end.
GpuRecording* recording_now() {
  GpuRecording* const recording = the_recording.load(std::memory_order_acquire);
  const bool is_ours = recording != nullptr && recording->owner() == recorder();
  return is_ours && recording->has_started() ? recording : nullptr;
}

void buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  const KeptErrno kept;
  GpuRecording* const recording = the_recording.load(std::memory_order_acquire);
  *buffer = recording == nullptr ? nullptr : recording->buffers().take();
  *size = *buffer == nullptr ? 0 : ActivityBuffers::kBytes;
  *most_records = 0;  // as many as it holds
}

void buffer_completed(void* /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                      std::size_t /*size*/, std::size_t valid) {
  const KeptErrno kept;
  GpuRecording* const recording = the_recording.load(std::memory_order_acquire);
  if (recording == nullptr || buffer == nullptr || !recording->is_of_this_process()) return;
  recording->completed({.buffer = buffer, .bytes = valid});
}

void flush(Recorder& /*recorder*/, Moment moment) {
  // At the end, the recorder has already ceased to be the one of this process.
  GpuRecording* const recording = the_recording.load(std::memory_order_acquire);
  if (recording != nullptr && recording->is_of_this_process()) recording->flush(moment);
}

cupti::Result GpuRecording::start() {
  cupti::Result result = cupti_.subscribe(&subscriber_, Launches::called, &launches_);
  if (result != cupti::kSuccess) return result;
  has_our_clock_ =
      cupti_.register_timestamp != nullptr && cupti_.register_timestamp(now) == cupti::kSuccess;
  if (!has_our_clock_) measure_clock();
  result = cupti_.register_buffers(buffer_requested, buffer_completed);
  for (const cupti::ActivityKind kind :
       {cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset, cupti::kPeerMemcpy}) {
    if (result == cupti::kSuccess) result = cupti_.enable_activity(kind);
  }
  if (result != cupti::kSuccess) {
    (void)cupti_.disable_activity(cupti::kConcurrentKernel);
    (void)cupti_.unsubscribe(subscriber_);
    return result;
  }
  started_.store(true, std::memory_order_release);
  launches_.watch(cupti_, subscriber_);
  return cupti::kSuccess;
}

// From CUPTI's clock to ours. Both are read as close together as can be.
void GpuRecording::measure_clock() {
  std::uint64_t theirs = 0;
  const std::uint64_t before = now();
  if (cupti_.timestamp(&theirs) != cupti::kSuccess) return;
  const std::uint64_t ours = before + (now() - before) / 2;
  to_our_clock_.store(static_cast<std::int64_t>(ours - theirs), std::memory_order_relaxed);
}

// The records are read by the thread that writes, for which neither CUPTI nor the program waits:
// only where it does not keep up, or is none, here.
void GpuRecording::completed(ActivityBuffers::Filled filled) {
  if (buffers_.keep(filled) > ActivityBuffers::kMany) write_lines();
}

void GpuRecording::flush(Moment moment) {
  if (!has_our_clock_) measure_clock();
  devices_.write_once();
  if (is_due(moment)) (void)cupti_.flush(moment == Moment::at_end ? cupti::kFlushForced : 0);
  write_lines();
  if (moment == Moment::at_end) warn_of_missing_records();
}

// Launches wait while CUPTI hands over its records: a program that runs on is disturbed less and
// less, and one that is soon killed loses little.
bool GpuRecording::is_due(Moment moment) {
  if (moment != Moment::meanwhile) return true;
  const std::uint64_t time = now();
  if (time < next_flush_) return false;
  next_flush_ = time + period_;
  period_ = std::min(2 * period_, kLongestPeriod);
  return true;
}

void GpuRecording::write_lines() {
  const Locked held{lines_lock_};
  if (!held) return;
  for (auto filled = buffers_.next(); filled.buffer != nullptr; filled = buffers_.next()) {
    cupti::Activity* record = nullptr;
    while (filled.bytes != 0 &&
           cupti_.next_record(filled.buffer, filled.bytes, &record) == cupti::kSuccess) {
      lines_.add(*record, to_our_clock_.load(std::memory_order_relaxed));
    }
    buffers_.give_back(filled.buffer);
  }
  std::size_t dropped = 0;
  if (cupti_.dropped_records(nullptr, 0, &dropped) == cupti::kSuccess && dropped != 0) {
    lines_.add_lost(dropped);
  }
  lines_.write();
}

// Another profiler that starts later gets no callbacks, but CUPTI lets it take over the records.
void GpuRecording::warn_of_missing_records() {
  // Kernels that still ran, or records that CUPTI dropped, are no reason for a warning.
  constexpr std::uint64_t kOneIn = 20;
  const std::uint64_t launched = launches_.kernels();
  std::uint64_t recorded = 0;
  {
    const Locked held{lines_lock_};
    if (!held) return;
    recorded = lines_.kernels_accounted_for();
  }
  if (recorded >= launched - launched / kOneIn) return;
  std::array<char, 512> text{};
  (void)std::snprintf(text.data(), text.size(),
                      "%llu of %llu launched kernels have no record of their time: %s",
                      static_cast<unsigned long long>(launched - recorded),
                      static_cast<unsigned long long>(launched), kOtherProfiler);
  recorder_.warn(text.data());
}

void explain(Recorder& recorder, cupti::Result result) {
  switch (result) {
    case cupti::kMultipleSubscribers:
    case cupti::kOldProfilerInitialized:
      recorder.warn(kOtherProfiler);
      return;
    case cupti::kInsufficientPrivileges:
    case cupti::kVirtualizedDevicePrivileges:
      recorder.warn(
          "this user may not profile the GPU: run as root, or have the administrator load the "
          "driver with NVreg_RestrictProfilingToAdminUsers=0 "
          "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)");
      return;
    case cupti::kVirtualizedDevice:
    case cupti::kConfidentialComputing:
      recorder.warn(
          "this GPU cannot be profiled, since it is virtual or in confidential mode: run on "
          "another "
          "machine");
      return;
    default:
      break;
  }
  std::array<char, 256> text{};
  (void)std::snprintf(text.data(), text.size(),
                      "the GPUs were not recorded: CUPTI refused with its error %d. Install the "
                      "CUPTI of the driver's CUDA version (nvidia-cuda-cupti), and run it again",
                      static_cast<int>(result));
  recorder.warn(text.data());
}

}  // namespace

void start_gpu_recording() {
  Recorder* const recorder = started_recorder();
  if (recorder == nullptr || tried_for.exchange(recorder) == recorder) return;
  CuptiLibrary cupti;
  switch (find_cupti(cupti)) {
    case CuptiFound::yes:
      break;
    case CuptiFound::no:
      recorder->warn(
          "the GPUs were not recorded: libcupti.so was not found. Install it (the CUDA toolkit has "
          "it, or `pip install nvidia-cuda-cupti`), or name the file in AUTOKERNEL_CUPTI");
      return;
    case CuptiFound::without_its_functions:
      recorder->warn(
          "the GPUs were not recorded: this libcupti.so lacks functions. Install that of CUDA 11.8 "
          "or later, or name the file in AUTOKERNEL_CUPTI");
      return;
  }
  std::uint32_t version = 0;
  (void)cupti.version(&version);
  std::array<char, 32> writer{};
  (void)std::snprintf(writer.data(), writer.size(), "CUPTI %u", version);
  recorder->gpu_file.set_writer(writer.data());
  if (version < cupti::kOldestVersion) {
    recorder->warn(
        "the GPUs were not recorded: this libcupti.so is too old. Install that of CUDA 11.8 or "
        "later, or name the file in AUTOKERNEL_CUPTI");
    return;
  }
  auto* const recording = made<GpuRecording>(*recorder, cupti);
  if (recording == nullptr) return;
  // CUPTI may ask for a buffer as soon as it is started.
  the_recording.store(recording, std::memory_order_release);
  const cupti::Result result = recording->start();
  if (result != cupti::kSuccess) {
    explain(*recorder, result);
    return;
  }
  recorder->set_gpu_source(flush);
  // CUPTI may have been loaded just now: it has to be whole when the record ends.
  close_before_what_is_loaded();
}

bool gpu_is_recorded() { return recording_now() != nullptr; }

}  // namespace recording
