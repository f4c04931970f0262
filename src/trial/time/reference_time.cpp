#include "trial/time/reference_time.h"

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "trial/launch/device_operands.h"
#include "trial/time/fresh_keys.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {
namespace {

// A reference is plain, and may take as long as a hundred kernels: people wait for the kernel's
// time, not for this one.
constexpr double kSeconds = 0.1;

// The conditions are those of the kernel's own times, a moment ago.
class NoMonitor : public DeviceMonitor {
 public:
  [[nodiscard]] Conditions conditions() const override { return {}; }
};

}  // namespace

std::vector<double> time_reference(const ReferenceTask& task) {
  std::unique_ptr<OperandSource> operands;
  if (task.gpu_tools != nullptr) {
    operands = std::make_unique<DeviceOperands>(task.device, *task.gpu_tools, task.maker);
  } else {
    operands = std::make_unique<HostOperands>(task.device, task.maker);
  }
  FreshKeys keys;
  NoRecords not_judged;
  NoMonitor monitor;
  TimingTask timing{task.device, task.sized, task.maker, *operands, keys, not_judged, 0, monitor};
  timing.alone_seconds = kSeconds;
  timing.device_worked_at = std::chrono::steady_clock::now();
  const std::unique_ptr<Stopwatch> stopwatch = task.gpu_tools != nullptr
                                                   ? gpu_stopwatch(timing, nullptr, *task.gpu_tools)
                                                   : emulated_stopwatch(timing, nullptr);
  TimedIncumbent reference{task.reference, Pairing("the reference", 1)};
  auto times = stopwatch->time_alone(reference);
  if (const auto* rejected = std::get_if<Rejection>(&times)) {
    throw Error(Stop::environment, "cannot time the reference: " + rejected->reason);
  }
  return std::get<std::vector<double>>(std::move(times));
}

}  // namespace autokernel::trial
