// A GPU's clocks rise within tens of milliseconds of work, whoever's: while the compiler is at it,
// the harness's own kernels are that work.
#pragma once

#include <chrono>

#include "autokernel/driver/device.h"
#include "trial/time/gpu_tools.h"

namespace autokernel::trial {

// As long as a device has to work before a time means something.
inline constexpr std::chrono::milliseconds kDeviceWarmUp{100};

class DeviceWarmUp {
 public:
  // `program` is that of gpu_tools_source(). Both must live longer.
  DeviceWarmUp(const driver::Device& device, const compile::Program& program);
  // A millisecond or two of work.
  void go_on();
  [[nodiscard]] bool is_over() const {
    return std::chrono::steady_clock::now() - begun_ >= kDeviceWarmUp;
  }

 private:
  GpuTools tools_;
  driver::Stream stream_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace autokernel::trial
