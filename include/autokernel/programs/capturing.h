// A program run while chosen launches of it are captured, and what is found out about them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/foreground.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/programs/captured_launch.h"
#include "autokernel/programs/study.h"

namespace autokernel::programs {

// Launches of one kernel that are to be captured.
struct WantedLaunches {
  std::string kernel;                      // as the driver has it
  std::optional<Extent> grid, block;       // none: any
  std::int64_t dynamic_shared = kUnknown;  // bytes; kUnknown: any
  std::vector<std::uint64_t> occurrences;  // of such launches in each process, from 0
};

struct CaptureRequest {
  std::vector<std::string> command;
  driver::DeviceChoice device;
  std::vector<WantedLaunches> wanted;
  std::uint64_t most_bytes = 0;  // of memory that may be kept
  std::filesystem::path folder;  // an empty one that takes the captures
  Prints prints = Prints::to_output;
};

struct Captured {
  std::vector<std::filesystem::path> launches;  // a folder for each, in the order they were made
  std::vector<std::string> in_graphs;           // wanted kernels that were launched by CUDA graphs
  Ending ending;
};

// Throws Error(usage) and Error(environment) as record() does.
[[nodiscard]] Captured capture(const CaptureRequest& request);

// Studies a capture, and which of the others it goes with, in processes of its own. A launch that
// cannot be studied has a trouble.
[[nodiscard]] Study studied(const std::filesystem::path& capture,
                            const std::vector<std::filesystem::path>& others,
                            const driver::DeviceChoice& device);

}  // namespace autokernel::programs
