// Whether this machine can run a trial: its steps in small, with a kernel of the harness's own, in
// this process. They load drivers and compilers, which may hang or crash: call them where that does
// no harm.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/driver/device_choice.h"
#include "autokernel/driver/device_info.h"

namespace autokernel::trial {

struct CompilerReadiness {
  std::string version;  // "13.0"
  std::filesystem::path library;
  std::filesystem::path headers;  // CUDA's; empty where there are none
  std::string refusal;            // why it does not compile a sound kernel; empty: it does
};
// Throws Error(environment) where there is no compiler.
[[nodiscard]] CompilerReadiness try_compiler();

struct DeviceReadiness {
  driver::DeviceInfo device;
  std::string fault;  // why a sound kernel does not run; empty: it ran, and wrote what it should
};
// Opens the device as a trial does, and runs a kernel on it. On a GPU the kernel is compiled, as a
// trial's is. Throws Error(environment) where there is no such device.
[[nodiscard]] DeviceReadiness try_device(const driver::DeviceChoice& choice);

// The version of the library that products of matrices are compared with on that device. Throws
// Error(environment) where it cannot be used.
[[nodiscard]] std::string try_library(const driver::DeviceChoice& choice);

}  // namespace autokernel::trial
