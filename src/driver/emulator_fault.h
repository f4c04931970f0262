// From what the emulated device says of a fault to values that outlive it.
#pragma once

#include <emulated_cuda.h>

#include "autokernel/driver/fault.h"

namespace autokernel::driver {

// Takes kind, text and details over. Nothing changes where the library knows another structure.
void take_over(const EmuFault& reported, Fault& fault);

}  // namespace autokernel::driver
