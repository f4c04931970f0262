// The timed launches. One function per kind of device, since the protocols differ: on a GPU caches,
// clocks and the launch itself have to be kept out of the number; on the emulated device none of
// them exists.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/compiler.h"
#include "autokernel/driver/device.h"
#include "trial/cublas.h"
#include "trial/keys.h"
#include "trial/launcher.h"
#include "trial/openblas.h"
#include "trial/rejection.h"

namespace autokernel::trial {

struct Timed {
  std::vector<LaunchRecord> records;  // every launch of the phase, warm-ups included, to be judged
  std::vector<double> samples_us;
  std::vector<double> library_us;  // as many; empty where no library does this case
  std::optional<double> warm_us;
  std::optional<double> library_default_us;  // its median with reduced-precision sums allowed
  std::optional<double> event_floor_us;
  std::optional<double> event_tick_us;
  double cap_seconds = 0;
  double seconds = 0;  // from the first timed launch to the last
  std::vector<std::string> warnings;
};
using Timing = std::variant<Timed, Rejection>;

// What both need. All must live longer than the call.
struct TimingTask {
  const driver::Device& device;
  const Candidate& candidate;
  const SizedCase& sized;
  const InputMaker& maker;
  Keys& keys;
};

// How many timed launches fit into the host memory that outputs may take.
[[nodiscard]] int samples_that_fit(const SizedCase& sized, std::vector<std::string>& warnings);

// `library` is null where none does this case.
[[nodiscard]] Timing time_emulated(const TimingTask& task, const OpenBlas* library);

// `tools` are the harness's own kernels (gpu_tools.h), compiled for the device.
[[nodiscard]] Timing time_on_gpu(const TimingTask& task, const Cublas* library,
                                 const compile::Program& tools);

}  // namespace autokernel::trial
