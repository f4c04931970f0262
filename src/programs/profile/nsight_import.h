// A profile from a report of Nsight Systems that was exported to SQLite.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

// `attempt` begins every message: "cannot import report.sqlite". Throws Error(usage) for another
// SQLite file, and for a report without work of a GPU.
[[nodiscard]] Profile nsight_profile(const std::filesystem::path& file, const std::string& attempt);

}  // namespace autokernel::programs
