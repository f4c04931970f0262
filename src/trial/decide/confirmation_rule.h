// What two kernels' times say of each other when each was measured in processes of its own.
#pragma once

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
  // How far apart two processes may be that run the same kernel. The candidate has no part in it:
  // one that is slow in some processes would excuse itself.
  double uncertainty = 0;
  // By plain means of all launches: a few slow ones move those of logarithms by little.
  double plain_gain = 0;
};
// How much a time may move from process to process, whatever is run: on a kind of device.
struct ProcessSpread {
  double microseconds = 0;
  double relative = 0;
};
// Each series is one process's times of the kernel, microseconds.
[[nodiscard]] SeparateGain compare_separate_processes(
    const std::vector<std::vector<double>>& candidate,
    const std::vector<std::vector<double>>& incumbent, const ProcessSpread& spread);

// Whether they bear out a gain that was found side by side. Half of it, as precisely as processes
// can be compared, does, and no process may be without it by more than that: more cannot be asked
// of times that move from process to process. Where the incumbent was seen to be slower beside the
// candidate, all of min_gain has to be there without doubt. Nor may it be a loss by the plain mean.
[[nodiscard]] bool confirms_gain(const SeparateGain& separate, double gain, double min_gain,
                                 bool disturbed);
// Whether they leave it possible that the candidate is not slower by min_gain: in the mean, in its
// slowest process, and with its slow launches.
[[nodiscard]] bool confirms_as_fast(const SeparateGain& separate, double min_gain);

}  // namespace autokernel::trial
