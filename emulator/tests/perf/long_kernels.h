// Kernels of any length, as generators of code write them: what compiling them costs must grow with
// their length and no faster.
#pragma once

#include <string>

#include "perf/kernel_times.h"

namespace emulator::perf {

enum class Make : std::uint8_t {
  arithmetic,   // chains of integer and floating-point operations
  consecutive,  // loads at neighbouring addresses, checked each
  uniform,      // loads at one address for all lanes
  scattered,    // loads of shared memory at addresses that nothing is known of
  branches,     // short blocks that split the warp and meet again
  uniform_branches,
  matrices,  // ldmatrix and mma
};
// One kernel with at least so many instructions.
[[nodiscard]] Program long_kernel(Make make, unsigned instructions);

}  // namespace emulator::perf
