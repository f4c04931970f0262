// What the driver and the libraries read from the environment when they are loaded.
#pragma once

namespace autokernel::trial {

// Call it before there are threads, in every process of a trial that opens a device.
void set_driver_up();

}  // namespace autokernel::trial
