// The timed launches. One stopwatch per kind of device, since the protocols differ: on a GPU
// caches, clocks and the cost of launching must not affect the time; the emulated device has none
// of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"
#include "trial/blas/cublas.h"
#include "trial/blas/openblas.h"
#include "trial/decide/pairing.h"
#include "trial/inputs/keys.h"
#include "trial/launch/candidate.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/launch_kind.h"
#include "trial/launch/rejection.h"
#include "trial/time/device_monitor.h"

namespace autokernel::trial {

// Launches one right after the other by the host's clock.
struct HostRow {
  int launches = 0;
  int queued = 0;           // for each of them: kernels, and the zeroing of a workspace
  double microseconds = 0;  // of one
};

struct Timed {
  std::vector<double> samples_us;
  std::vector<InputKind> sampled_on;  // the inputs of each
  std::vector<double> library_us;     // empty where no library does this case
  std::vector<double> incumbent_us;   // as many as samples where there is an incumbent
  // The incumbent's times with no candidate loaded: before it was, and after it was gone.
  std::vector<std::vector<double>> alone_us;
  std::optional<double> warm_us;
  std::optional<double> library_default_us;  // its median with reduced-precision sums allowed
  std::optional<double> event_floor_us;
  std::optional<HostRow> host_row;  // on a GPU
  double seconds = 0;               // from the first timed launch to the last
  std::vector<std::string> warnings;
};
using Timing = std::variant<Timed, Rejection>;
// "timed launch 3".
[[nodiscard]] std::string timed_name(int number);

// The plan of the launches, by which the runner holds what it is told of them (launch_account.cpp).
//
// Pairs in a row on the same buffers. Then both kernels are loaded anew, the other one first: where
// code and buffers happen to lie makes up to 0.1 us on an H200 and 2.5 % of a launch on the
// emulated device, and they lie differently then. So few that such an offset does not last
// (docs/decision.md), as many as loading is worth.
inline constexpr int kPairsPerRound = 10;
// The same of launches in a separate process, of which fewer are needed.
inline constexpr int kLaunchesPerRound = 15;
// Clocks rise within tens of milliseconds of load; a kernel of a microsecond needs no more.
inline constexpr int kMostWarmUps = 200;
// Launches without a flush. Where nothing but times is wanted: enough to hold those by the host's
// clock against.
[[nodiscard]] constexpr int warm_samples(bool times_only) { return times_only ? 5 : 20; }
// Outputs of launches wait for a time at which no candidate is loaded. When there are so many bytes
// of them, the candidate is unloaded for that.
inline constexpr std::uint64_t kWaitingMemory = 2ULL << 30;
// Outputs of launches that were repeated, beside those of the launches that count (stopwatch.cpp).
inline constexpr std::uint64_t kRepeatedMemory = 512ULL << 20;
// A message of their times and keys has some 10 MiB then, and a test of more has nothing to gain.
inline constexpr int kMostLaunches = 1 << 17;
// How many launches in a row are held against the host's clock, for a kernel of that time.
[[nodiscard]] int row_launches(double warm_us);
// The library is sampled beside every one of so many timed launches. On the emulated device it
// takes as long as a kernel, and half as many say what it takes there.
[[nodiscard]] constexpr int launches_per_library_sample(bool on_gpu) { return on_gpu ? 1 : 2; }
// On the emulated device: how long samples are taken, seconds; and pairs, as long as nothing speaks
// for the candidate. On a GPU both are the case's cap.
[[nodiscard]] double emulated_cap_seconds(const cases::Case& problem);
[[nodiscard]] double emulated_open_seconds(const cases::Case& problem,
                                           std::optional<double> open_seconds);

// What is timed, and where. All must live longer than the stopwatch.
struct TimingTask {
  const driver::Device& device;
  const SizedCase& sized;
  const InputMaker& maker;
  OperandSource& operands;  // of every launch but the library's on the emulated device
  KeySource& keys;
  RecordSink& judged;  // is given every timed launch, those that were repeated, and one warm-up
  int samples;         // of the candidate and of the library
  DeviceMonitor& monitor;
  // Pairs are taken for so long, whatever they say; none: until they say something.
  std::optional<double> recording_seconds = {};
  // No figures but those times, and what shows that they hold.
  bool times_only = false;
  // When the device was last at work, and had been for long enough; none: it is not known to have
  // been.
  std::optional<std::chrono::steady_clock::time_point> device_worked_at = {};
  // On the emulated device: how long pairs that do not look like a gain are taken; none: as ever.
  std::optional<double> open_seconds = {};
  // time_alone() begins no further launch after so long; none: it has all there are to be.
  std::optional<double> alone_seconds = {};
};

// The incumbent of a candidate: it is launched as the candidate is, on inputs and buffers of its
// own.
struct TimedIncumbent {
  const compile::Program& program;  // must live longer
  Pairing pairing;
};

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Outlives candidates, so that an incumbent can be timed before one is loaded and after it is gone.
class Stopwatch {
 public:
  // `alone_samples`: how many launches say what an incumbent takes by itself.
  Stopwatch(const TimingTask& task, int alone_samples)
      : task_(task), alone_samples_(alone_samples) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  Stopwatch(Stopwatch&&) = delete;
  Stopwatch& operator=(Stopwatch&&) = delete;
  virtual ~Stopwatch() = default;

  // The whole sequence for a candidate, which is loaded for it and gone after it; against
  // `incumbent` where it is not null.
  [[nodiscard]] virtual Timing time(const compile::Program& candidate,
                                    TimedIncumbent* incumbent) = 0;
  // The times of the incumbent with no candidate there. A rejection is the incumbent's own.
  [[nodiscard]] std::variant<std::vector<double>, Rejection> time_alone(TimedIncumbent& incumbent);

 protected:
  // A program that is loaded, with its buffers.
  struct Loaded {
    Loaded(Candidate kernel, const Stopwatch& stopwatch)
        : candidate(std::move(kernel)), launcher(stopwatch.launcher(candidate)) {}
    const Candidate candidate;
    KernelLauncher launcher;
  };

  // A launcher with as many sets of buffers as this device needs; the candidate must live longer.
  [[nodiscard]] virtual KernelLauncher launcher(const Candidate& candidate) const = 0;
  // Launches that are not timed, as many as it takes until times mean something. `first` gets the
  // record of the first, which is on the inputs that the case declares.
  [[nodiscard]] virtual std::optional<Rejection> warm_up(KernelLauncher& launcher, LaunchKind kind,
                                                         RecordSink& first) = 0;
  // One launch on new inputs, microseconds. Where its time is void it is repeated. Whatever it gave
  // goes to `records`.
  [[nodiscard]] virtual Launching sample(KernelLauncher& launcher, InputKind input_kind,
                                         const std::string& name, RecordSink& records) = 0;
  // Whether the library is sampled beside that launch, counted from 0.
  [[nodiscard]] virtual bool samples_library(int launch) const = 0;
  // The library's product on inputs of its own, microseconds.
  [[nodiscard]] virtual double sample_library() = 0;
  // Candidate, library and incumbent in turn, in an order that is drawn anew each time, until there
  // are as many as asked for, and as many pairs as it takes, or the time is up. `last` is called at
  // the end, with the candidate still loaded.
  struct Caps {
    double seconds;  // for samples, and for pairs that leave the question open
    // For the fewest pairs that can say anything, and for pairs that look like a gain.
    double promising_seconds;
  };
  using Last = std::function<std::optional<Rejection>(Loaded& candidate)>;
  [[nodiscard]] std::optional<Rejection> take_samples(const compile::Program& candidate,
                                                      TimedIncumbent* incumbent, const Caps& caps,
                                                      Timed& timed, const Last& last = {});

  [[nodiscard]] const TimingTask& task() const { return task_; }

 private:
  [[nodiscard]] std::variant<std::unique_ptr<Loaded>, Rejection> load(
      const compile::Program& program) const;
  [[nodiscard]] Launching sample_incumbent(Loaded& incumbent, InputKind input_kind);

  const TimingTask task_;
  const int alone_samples_;
  int incumbent_launches_ = 0;
};

// `library` is null where none does this case.
[[nodiscard]] std::unique_ptr<Stopwatch> emulated_stopwatch(const TimingTask& task,
                                                            const OpenBlas* library);
// `tools` are the harness's own kernels (gpu_tools.h), compiled for the device.
[[nodiscard]] std::unique_ptr<Stopwatch> gpu_stopwatch(const TimingTask& task,
                                                       const Cublas* library,
                                                       const compile::Program& tools);

}  // namespace autokernel::trial
