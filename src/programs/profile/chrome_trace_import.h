// A profile from a trace of PyTorch's profiler, in Chrome's JSON format.
#pragma once

#include <string>

#include "autokernel/programs/profile.h"
#include "programs/profile/pieces.h"

namespace autokernel::programs {

// `attempt` begins every message: "cannot import trace.json". Throws Error(usage) for what is no
// trace, is cut, or has no work of a GPU.
[[nodiscard]] Profile chrome_trace_profile(Pieces json, const std::string& attempt);

}  // namespace autokernel::programs
