// What a kernel did wrong on the device: a value, since a bad kernel is a result. What else a
// driver may report is an Error(environment).
#pragma once

#include <cstdint>
#include <string>

namespace autokernel::driver {

// What was under way when it came to light.
enum class Occasion : std::uint8_t {
  load,    // the driver refused the code
  launch,  // the driver refused the launch: its shape is impossible on this device
  run,     // the kernel ran; the device can be used no more by this process
};

struct Fault {
  int code = 0;  // the CUresult, 700
  std::string
      name;  // "CUDA_ERROR_ILLEGAL_ADDRESS", or the number where the driver has no name for it
  std::string text;  // the driver's own words; on the emulated device: which thread, which
                     // instruction, which address
  Occasion occasion = Occasion::run;
  std::string call;  // "cuStreamSynchronize"
};

}  // namespace autokernel::driver
