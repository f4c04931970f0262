// From what the emulated device says of a fault to values that outlive it.
#pragma once

#include "autokernel/driver/fault.h"
#include "driver/emulator_declarations.h"

namespace autokernel::driver {

// Takes kind, text and details over. Nothing changes where the library knows another structure.
void take_over(const emulator::Fault& reported, Fault& fault);

}  // namespace autokernel::driver
