// Profiles that other profilers have recorded.
#pragma once

#include <filesystem>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

// Reads a trace of PyTorch's profiler (JSON, also gzip-compressed), or a report of Nsight Systems
// that was exported to SQLite. It tells them by their content. Times keep their nanoseconds. A
// damaged event is left out, and a warning counts it. Throws Error(usage) for any other file, and
// for one that is cut, damaged or without GPU work: the message says what to do.
[[nodiscard]] Profile imported(const std::filesystem::path& file);

}  // namespace autokernel::programs
