// The rule of src/autokernel/trial/decision.h applied to many trials drawn from some noise, as the
// runner applies it to one.
#pragma once

#include <cstdint>
#include <vector>

#include "trial/decide/noise_sources.h"
#include "trial/decide/simulated_pairs.h"

namespace autokernel::trial {

struct Tally {
  int trials = 0;
  int faster = 0;
  int confirmed = 0;  // of those, in separate processes; of tally_slow() alone
  int not_faster = 0;
  int undecided = 0;
  int within_interval = 0;  // the 95 % interval holds the true gain
  double mean_pairs = 0;
  int median_pairs = 0;
  [[nodiscard]] double share_faster() const { return static_cast<double>(faster) / trials; }
};

// Trials of a kernel that is faster by `gain` (relative; negative: slower), drawn from a recording
// as trial/decide/simulated_pairs.h does.
[[nodiscard]] Tally tally(const Noise& noise, double gain, int trials);

// The same, where the candidate takes `factor` times as long in a share of its launches; what is
// faster is then measured apart, on a machine on which nothing moves from process to process.
struct SlowLaunches {
  double share = 0;
  double factor = 1;
};
[[nodiscard]] Tally tally_slow(const Noise& noise, double gain, const SlowLaunches& slow,
                               int trials);

// Pairs in normal noise.
struct NormalNoise {
  double deviation = 0;    // of a pair's log ratio
  double correlation = 0;  // of one pair with the next
  // What makes one of the two kernels slower for some pairs in a row, such as where its buffers
  // lie: its standard deviation, and after how many pairs it is drawn anew.
  double offset = 0;
  int offset_pairs = 1;
};
[[nodiscard]] Tally tally_normal(const NormalNoise& noise, double gain, double min_gain,
                                 int trials);

}  // namespace autokernel::trial
