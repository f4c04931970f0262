// Asks all questions, each in a process of its own, so that none can take doctor with it.
#pragma once

#include <chrono>
#include <filesystem>

#include "cli/doctor/facts.h"

namespace autokernel::cli::doctor {

// Comes back within about twice `patience`: a process that has not answered by then is given up.
[[nodiscard]] Facts examine(const driver::DeviceChoice& device, std::chrono::seconds patience,
                            const std::filesystem::path& program = "/proc/self/exe");

// The GPUs alone.
[[nodiscard]] Asked<driver::Survey> survey_gpus(
    std::chrono::seconds patience, const std::filesystem::path& program = "/proc/self/exe");

}  // namespace autokernel::cli::doctor
