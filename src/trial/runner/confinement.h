// What a launcher gives up before the candidate's code runs in it.
#pragma once

#include "autokernel/driver/device_info.h"

namespace autokernel::trial {

// From now on this process starts no program and no process, opens no file but those that the
// device's driver needs, has no network, and cannot reach other processes. What is open stays
// open. Throws Error(environment) where the kernel does not let us.
void confine(const driver::DeviceInfo& device);

}  // namespace autokernel::trial
