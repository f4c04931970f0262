// A program run while what it has its GPUs do is recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/base/foreground.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/programs/profile.h"

namespace autokernel::programs {

struct RecordingRequest {
  std::vector<std::string> command;  // the program, looked for on the PATH, and its arguments
  driver::DeviceChoice device;
  std::vector<std::filesystem::path> cupti;  // to try, best first; those that are no path are left
                                             // to the loader
  bool products = true;                      // whether calls of cuBLAS are recorded
  Prints prints = Prints::to_output;
};

struct Recording {
  Profile profile;
  Ending ending;       // of the program
  double seconds = 0;  // that it ran
};

// Throws Error(usage) where there is no such program, or it cannot be started; Error(environment)
// where a library of ours is missing or another profiler is set up in the environment.
[[nodiscard]] Recording record(const RecordingRequest& request);

}  // namespace autokernel::programs
