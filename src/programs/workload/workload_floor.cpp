#include "autokernel/programs/workload_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "autokernel/base/error.h"
#include "autokernel/driver/units.h"

namespace autokernel::programs {
namespace {

// 10^12 operations per second are 10^6 per microsecond, 10^9 bytes per second 10^3.
constexpr double kFlopsPerMicrosecondOfTflops = 1e6;
constexpr double kBytesPerMicrosecondOfGbytes = 1e3;

[[nodiscard]] Error no_floor(const WorkloadOperation& operation, const driver::DeviceInfo& device) {
  const std::string why =
      device.emulated ? "the peaks of the emulated device are not known"
      : driver::peak_gbytes_s(device)
          ? fmt::format("it has no {}, or its peak is not known", driver::spelling(operation.unit))
          : "the peak of its memory is not known";
  return {Stop::usage, fmt::format("cannot say how long {} takes on {} at least: {}; name another "
                                   "device",
                                   operation.name, device.name, why)};
}

[[nodiscard]] OperationFloor floor_of(const WorkloadOperation& operation,
                                      const driver::DeviceInfo& device) {
  const std::optional<double> tflops = driver::peak_tflops(device, operation.unit);
  const std::optional<double> gbytes_s = driver::peak_gbytes_s(device);
  if (!tflops || !gbytes_s) throw no_floor(operation, device);
  const double compute_us = operation.flops / (*tflops * kFlopsPerMicrosecondOfTflops);
  const double memory_us = operation.bytes() / (*gbytes_s * kBytesPerMicrosecondOfGbytes);
  OperationFloor floor;
  floor.floor_us = std::max(compute_us, memory_us);
  floor.bound = compute_us > memory_us ? "compute" : "memory";
  floor.total_us = static_cast<double>(operation.count) * floor.floor_us;
  return floor;
}

}  // namespace

std::vector<OperationFloor> floors_of(const Workload& workload, const driver::DeviceInfo& device) {
  std::vector<OperationFloor> floors;
  floors.reserve(workload.operations.size());
  double all_us = 0;
  for (const WorkloadOperation& operation : workload.operations) {
    floors.push_back(floor_of(operation, device));
    all_us += floors.back().total_us;
  }
  for (OperationFloor& floor : floors) floor.share = floor.total_us / all_us;
  return floors;
}

}  // namespace autokernel::programs
