// What two kernels' times say of each other when each was measured in processes of its own.
#pragma once

#include <vector>

namespace autokernel::trial {

struct Apart {
  double gain = 0;         // of the candidate, relative
  double uncertainty = 0;  // how far two processes are apart that run the same kernel
};
// Each series is one process's times of the kernel, microseconds. `offset_us` is how much a time
// may move from process to process on this kind of device, whatever is run.
[[nodiscard]] Apart compare_apart(const std::vector<std::vector<double>>& candidate,
                                  const std::vector<std::vector<double>>& opponent,
                                  double offset_us);

// Whether they bear out a gain that was found side by side. Half of it, as precisely as processes
// can be compared, does: more cannot be asked of times that move from process to process. Where the
// opponent was seen to be slower beside the candidate, all of min_gain has to be there without
// doubt.
[[nodiscard]] bool bears_out(const Apart& apart, double gain, double min_gain, bool disturbed);

}  // namespace autokernel::trial
