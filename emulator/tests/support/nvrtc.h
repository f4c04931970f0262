// NVRTC, for tests whose kernels are written in CUDA C++.
#pragma once

#include <string>

namespace emulator::testing {

// What NVRTC makes of `source`, for sm_90a. Throws std::runtime_error with its words where it
// refuses, and where the toolkit that this was built with has no NVRTC.
[[nodiscard]] std::string ptx_of(const std::string& source);

}  // namespace emulator::testing
