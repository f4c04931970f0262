// The rule by which a gain is confirmed: from the times of two kernels, each measured in separate
// processes.
#pragma once

#include <limits>
#include <vector>

namespace autokernel::trial {

// Means of processes differ by more than the samples within one, so few say what a kernel takes.
// The candidate has more, to find one that is slow in few launches: in three processes on a GPU,
// with those of the pairs, they are 185 at least (docs/decision.md). A launch takes a hundred times
// as long on the emulated device, where they are 140.
[[nodiscard]] constexpr int candidate_samples(bool on_gpu) { return on_gpu ? 45 : 30; }
inline constexpr int kIncumbentSamples = 20;

struct SeparateGain {
  double gain = 0;        // of the candidate, relative
  double least_gain = 0;  // of its slowest process
  // How much the times of one kernel may differ between processes. The candidate's own spread is no
  // part of it, or a kernel that is slow in some processes would excuse itself.
  double uncertainty = 0;
  // By plain means of all launches: a few slow ones move those of logarithms by little.
  double plain_gain = 0;
  // From what gain on a loss in the mean is not by chance.
  double telling = std::numeric_limits<double>::infinity();
};
// How much times differ between processes on a kind of device, whatever the kernel.
struct ProcessSpread {
  double microseconds = 0;
  double relative = 0;
};
// Each series is one process's times of the kernel, microseconds.
[[nodiscard]] SeparateGain compare_separate_processes(
    const std::vector<std::vector<double>>& candidate,
    const std::vector<std::vector<double>>& incumbent, const ProcessSpread& spread);

// Whether they confirm a gain that was found in pairs. Half of it must be there within the
// uncertainty, in the mean and in the slowest process, and no loss by the plain mean. Where the
// candidate disturbed the incumbent, all of min_gain must be there beyond the uncertainty.
[[nodiscard]] bool confirms_gain(const SeparateGain& separate, double gain, double min_gain,
                                 bool disturbed);
// Whether the candidate may still be as fast: not slower by min_gain in the mean, in its slowest
// process, and by the plain mean.
[[nodiscard]] bool confirms_as_fast(const SeparateGain& separate, double min_gain);

}  // namespace autokernel::trial
