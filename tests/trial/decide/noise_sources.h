// What the times of one kernel do when it is measured against itself: recordings, and stand-ins
// made by a formula. Decisions are simulated on them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::trial {

struct Noise {
  std::string name;  // of letters, digits and underscores
  double min_gain = 0;
  // That of the emulated device is larger.
  [[nodiscard]] bool is_of_a_gpu() const { return min_gain < 0.01; }
  // Of incumbent time over candidate time, pair by pair, in the order measured.
  std::vector<double> log_ratios;
};
// The standard deviation of the logarithms.
[[nodiscard]] double scatter(const Noise& noise);
// Of one pair with the next: 0 where each stands for itself.
[[nodiscard]] double correlation(const Noise& noise);

// Reads a recording. Its lines, with tabs between the parts:
//
//   # <device> <tab> <kernel>
//   candidate_us <tab> incumbent_us
//   438.560 <tab> 438.720                 one line for each pair, in the order measured
//
// The device is called as `bench` prints it; one that begins with "CPU" is emulated, and its least
// gain is that of the emulated device. Throws std::runtime_error naming the file and the line.
[[nodiscard]] Noise read_recording(const std::filesystem::path& file);

// All recordings of tests/data/noise.
[[nodiscard]] std::vector<Noise> recorded_noise();
// Stand-ins, the same in each run: what recordings look like, and what they would be like if things
// were worse.
[[nodiscard]] std::vector<Noise> synthetic_noise();

}  // namespace autokernel::trial
