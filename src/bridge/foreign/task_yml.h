// The task.yml of a problem of gpu-mode.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace autokernel::bridge {

// What generate_input is called with: values in JSON, by name.
using TaskArguments = std::map<std::string, std::string>;

struct GpuModeTask {
  std::map<std::string, std::string> files;  // where each one of the problem's is, by its name
  std::vector<TaskArguments> tests;
  std::vector<TaskArguments> benchmarks;
};

// Throws Error(usage), which names `file`, for a text that is no task of one GPU in Python.
[[nodiscard]] GpuModeTask read_task(const std::string& file, const std::string& text);

}  // namespace autokernel::bridge
