// Whether a device is there at all, before a program is started for it.
#pragma once

#include "autokernel/driver/device_choice.h"

namespace autokernel::cli {

// Throws Error(environment) where a GPU is chosen that is not there.
void require_device(const driver::DeviceChoice& choice);

// Whether a program is run on the emulated device.
[[nodiscard]] bool runs_emulated(const driver::DeviceChoice& choice);

}  // namespace autokernel::cli
