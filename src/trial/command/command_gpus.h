// GPUs that the commands of a case may use ([command] gpus).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::trial {

struct CommandGpus {
  std::vector<std::string> uuids;               // what CUDA_VISIBLE_DEVICES is set to
  std::string description;                      // "2 x NVIDIA H200"
  std::string driver_version;                   // as NVML says it; empty where it does not
  std::vector<std::filesystem::path> devices;   // to be read, written and controlled
  std::vector<std::filesystem::path> readable;  // what a driver looks up
};

// The first `count` of those that this user sees: of all, or of what CUDA_VISIBLE_DEVICES names (by
// NVML's numbers, or by UUID). Throws Error(environment) where there are fewer.
[[nodiscard]] CommandGpus gpus_for_commands(int count);

}  // namespace autokernel::trial
