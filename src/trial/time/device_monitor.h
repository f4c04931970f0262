// Monitors the device while kernels are timed on it. A GPU that becomes too hot is slower by a
// third, and a time alone does not show it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "autokernel/driver/device_info.h"
#include "autokernel/driver/telemetry.h"
#include "autokernel/trial/conditions.h"
#include "trial/time/query_thread.h"

namespace autokernel::trial {

class DeviceMonitor {
 public:
  DeviceMonitor() = default;
  DeviceMonitor(const DeviceMonitor&) = delete;
  DeviceMonitor& operator=(const DeviceMonitor&) = delete;
  DeviceMonitor(DeviceMonitor&&) = delete;
  DeviceMonitor& operator=(DeviceMonitor&&) = delete;
  virtual ~DeviceMonitor() = default;

  // Begins to look at the device, for the sample that comes next; others may go on meanwhile. Need
  // not be called.
  virtual void look() {}
  // Whether a time that was just measured counts. One that is void is to be measured again, where
  // that is possible; otherwise it counts, and the conditions say what it is worth.
  enum class Sample : std::uint8_t { counts, is_void };
  enum class Again : std::uint8_t { possible, impossible };
  [[nodiscard]] virtual Sample after_sample(Again /*again*/) { return Sample::counts; }
  [[nodiscard]] bool counts(bool is_repeatable) {
    return after_sample(is_repeatable ? Again::possible : Again::impossible) == Sample::counts;
  }

  // From the start of the monitor, or the first sample, until now.
  [[nodiscard]] virtual Conditions conditions() const = 0;
};

// What NVML says at one moment.
struct GpuReading {
  driver::GpuState state;
  std::optional<std::vector<driver::GpuProcess>> processes;
};
// What a GPU's monitor reads.
struct GpuReadings {
  // Begins to look; what is returned waits until that is done.
  std::function<std::function<GpuReading()>()> look;
  std::function<void(std::chrono::milliseconds)> rest;
};
// `readings` by functions that are empty: nothing is known, and every sample counts. This process
// and `ours` are no other programs.
[[nodiscard]] std::unique_ptr<DeviceMonitor> monitor_gpu(GpuReadings readings,
                                                         std::vector<pid_t> ours = {});
// NVML, which is opened while other things are done. It may hang, in any of its functions, where
// the driver is in trouble: so a thread of its own calls it, with a deadline for each answer.
class NvmlOpening {
 public:
  explicit NvmlOpening(const driver::DeviceInfo& gpu);
  // Once it is open; all empty where NVML is not there or does not know the GPU. They, and this,
  // throw Error(environment) where NVML does not answer.
  [[nodiscard]] GpuReadings readings() &&;

 private:
  struct Gpu;
  std::shared_ptr<QueryThread> queries_;
  std::future<std::shared_ptr<const Gpu>> opened_;
};

// For the emulated device, from now on; what this process and `ours` use is not others' load.
// `root` is where proc and sys lie.
[[nodiscard]] std::unique_ptr<DeviceMonitor> monitor_host(std::vector<pid_t> ours = {},
                                                          const std::filesystem::path& root = "/");

}  // namespace autokernel::trial
