// What a program is given so that libraries of ours are loaded into it.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/base/environment.h"
#include "autokernel/driver/device_choice.h"

namespace autokernel::programs {

// The file that the shell would run. Throws Error(usage) where there is none.
[[nodiscard]] std::filesystem::path program_called(const std::string& name);

// One of our libraries. Throws Error(environment), which says that it is missing for `what`.
[[nodiscard]] std::filesystem::path required_library(const std::string& name,
                                                     const std::string& what);

// `entry` before what the variable has in our own environment.
void put_before(Variables& variables, const std::string& name, const std::string& entry);

// Whether a program is to use the emulated device: it is asked for, or there is no GPU.
[[nodiscard]] bool uses_emulated_device(const driver::DeviceChoice& choice);

// The driver that programs get, as a file: NVIDIA's, or the emulated device. Throws
// Error(environment) where there is none.
[[nodiscard]] std::filesystem::path real_driver(const driver::DeviceChoice& device);

// Sets which GPU the program sees.
void choose_gpu(Variables& variables, const driver::DeviceChoice& choice);

}  // namespace autokernel::programs
