// What of a measurement's conditions follows from the process in which kernels run.
#pragma once

#include "autokernel/driver/device_info.h"
#include "autokernel/trial/conditions.h"

namespace autokernel::trial {

// Fills in the environment, priority and processors of this process, and how the device runs
// kernels.
void add_process_conditions(const driver::DeviceInfo& device, Conditions& conditions);

// As taskset writes them: "0-3,8".
[[nodiscard]] std::string ranges_text(const std::vector<int>& ascending);

}  // namespace autokernel::trial
