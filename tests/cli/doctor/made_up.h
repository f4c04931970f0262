// Facts that nobody gathered: a machine on which all is well, for a test to break in one place.
#pragma once

#include <string>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {

// One GPU, and everything else there is to find.
[[nodiscard]] Facts sound_machine();
// The same without a GPU, its driver and cuBLAS.
[[nodiscard]] Facts machine_without_gpu();

// The line of that name; a test that asks for one that is not there fails.
[[nodiscard]] Line line_named(const std::string& name, const Lines& lines);

}  // namespace autokernel::cli::doctor
