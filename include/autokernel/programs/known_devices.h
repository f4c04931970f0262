// GPUs that a plan can be made for where none is at hand.
#pragma once

#include <string>
#include <vector>

#include "autokernel/driver/device_info.h"

namespace autokernel::programs {

// "h100-sxm", "rtx-4090", ...: the names that known_device() takes.
[[nodiscard]] std::vector<std::string> known_device_names();

// As far as peaks need it: name, capability, multiprocessors, clocks and bus, so that
// driver::peak_tflops() and driver::peak_gbytes_s() give what NVIDIA publishes. A driver reports a
// clock that is up to 10 % higher. Throws Error(usage) for another name.
[[nodiscard]] driver::DeviceInfo known_device(const std::string& name);

// A device of which a trace tells hardly more than its name, with what is known of that.
[[nodiscard]] driver::DeviceInfo completed(driver::DeviceInfo device);

}  // namespace autokernel::programs
