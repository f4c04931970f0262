// Our launches and the original's, one after the other on the program's own data, and compared.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>

#include "driver/own_kernel.h"

namespace autokernel::inject {

// Whether results of this launch are to be compared. Of a usual check, the first one's are; then
// the gaps are random and grow with how many there were, so that long runs are not much longer. Of
// a spot check, one launch alone, at random: nothing before it tells that it will be.
[[nodiscard]] bool is_to_be_checked(std::size_t replacement);

// Launches ours first, as it would be without any check. Then the original on the same data, and
// counts a difference: of what is written, beyond the bounds; of all else that the launch may
// reach, and some of what lies around, at all. What stays is ours where it is right, else the
// original's. No other launch may be made meanwhile. Returns what the launch that stays returned.
[[nodiscard]] CUresult launch_checked(std::size_t replacement, const GivenOperands& operands,
                                      CUstream stream, const std::function<CUresult()>& own,
                                      const std::function<CUresult()>& original);

// The same where the stream is being recorded into a graph: both are recorded, with copies of their
// results, and each time the graph has run, these are compared. What stays is the original's.
[[nodiscard]] CUresult record_checked(std::size_t replacement, const GivenOperands& operands,
                                      CUstream stream, const std::function<CUresult()>& own,
                                      const std::function<CUresult()>& original);
// After a graph was launched on the stream: waits for it, and compares what has run.
void compare_recorded(CUstream stream);

}  // namespace autokernel::inject
