// Whether a case will do: a list of checks, most of which are trials of kernels that it must accept
// or refuse.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "autokernel/driver/device_choice.h"

namespace autokernel::cli {

enum class CheckOutcome : std::uint8_t { passed, failed, skipped };

struct CheckLine {
  std::string name;  // "reference"
  CheckOutcome outcome = CheckOutcome::passed;
  std::string found;
  std::string fix = {};  // what to do; empty unless it failed
};

// Makes the checks in order and hands over each line as it is known. `size` is what trials are made
// at: "check". Throws Error where this machine cannot run a trial, and Interrupted.
void examine_case(const std::filesystem::path& folder, const driver::DeviceChoice& device,
                  const std::string& size, const std::function<void(const CheckLine&)>& tell);

}  // namespace autokernel::cli
