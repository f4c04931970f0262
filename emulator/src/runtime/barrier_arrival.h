// A warp, or a thread that runs by itself, at a barrier, for the functions that compiled kernels
// call.
#pragma once

#include <cstdint>

#include "runtime/abi.h"
#include "runtime/barrier.h"

namespace emulator::runtime {

// The lanes of `mask` arrive, and wait where the arrival says so: the result is that of the
// reduction. It is a fault where lanes of the warp that have not exited are missing. Does not come
// back from a fault; nothing in the caller's frame may own anything.
std::uint32_t arrive_at_barrier(WarpContext& context, std::uint32_t mask, const Arrival& arrival);

}  // namespace emulator::runtime
