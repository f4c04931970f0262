// What a search of parameters measured, for other tuners.
#pragma once

#include <string>
#include <vector>

#include "autokernel/loop/autotune.h"

namespace autokernel::cli {

// As T4 1.0.0 (the results schema of github.com/odgaard/TuningSchema, which Kernel Tuner writes):
// times in milliseconds.
[[nodiscard]] std::string t4_results(const std::vector<loop::TunedExperiment>& experiments);

}  // namespace autokernel::cli
