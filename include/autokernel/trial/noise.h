// The noise of a machine, from a kernel that was measured against itself: the detectable gain and
// the time it takes to detect it. docs/noise.md has the formulas.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::trial {

// A kernel against itself: pairs of launches in the order measured, in any number of processes.
struct NoiseRecording {
  std::vector<double> log_ratios;  // natural logarithms of one time over the other
  std::vector<double> times_us;    // of one of the two
  double seconds = 0;              // that it took to take the pairs
  // What a comparison has at most: pairs, by its rule or for its outputs' sake, and seconds.
  int most_pairs = 0;
  double longest_seconds = 0;
};

// All noise is relative: 0.01 is a hundredth of the time.
struct NoiseFigures {
  int pairs = 0;
  double pair_seconds = 0;  // to take a pair
  double pair_noise = 0;    // of one pair's ratio: its robust standard deviation
  double mean_noise = 0;    // of the trimmed mean of all pairs: its standard error
  double drift = 0;  // how far the kernel's own time moved: slowest over fastest tenth, less 1
  // The smallest gain that a comparison of so many seconds finds 95 times in 100. None where there
  // is no time for the fewest pairs that say anything.
  struct Reach {
    double seconds = 0;
    std::optional<double> gain;
    friend bool operator==(const Reach&, const Reach&) = default;
  };
  std::array<Reach, 3> reach;
  Reach longest;  // in the time, and with the pairs, that a comparison has at most
  // The rule of docs/decision.md on stretches of the recording, and how often it kept the kernel.
  double min_gain = 0;
  int decisions = 0;
  int false_keeps = 0;
  friend bool operator==(const NoiseFigures&, const NoiseFigures&) = default;
};

// So many pairs at least, or nothing can be said of the noise.
inline constexpr int kFewestRecordedPairs = 50;

// Of a recording of at least kFewestRecordedPairs. The same each time.
[[nodiscard]] NoiseFigures figures_of(const NoiseRecording& recording, double min_gain);

// What a comparison should know of the device that it finds itself on.
struct DeviceNoise {
  std::string device;
  std::string driver_version;
  double pair_error = 0;  // the standard error of the mean of n pairs is this over the root of n
  double pair_seconds = 0;
  std::optional<double> detectable_gain;  // that it finds in the time that it has at most
  friend bool operator==(const DeviceNoise&, const DeviceNoise&) = default;
};
[[nodiscard]] DeviceNoise device_noise(const NoiseFigures& figures, std::string device,
                                       std::string driver_version);

// A kernel that is faster by this many times the minimum gain is to be found 95 times in 100
// (docs/decision.md).
inline constexpr double kFoundGain = 1.4;

// Why a comparison with that minimum gain will mostly be inconclusive, and which one is detectable,
// in a sentence. Empty where this one is.
[[nodiscard]] std::string out_of_reach(const DeviceNoise& noise, double min_gain);

// How long a gain of kFoundGain times that minimum gain takes to look like one 95 times in 100.
// None where that is longer than `longest_seconds`.
[[nodiscard]] std::optional<double> seconds_to_look_faster(const DeviceNoise& noise,
                                                           double min_gain, double longest_seconds);

// The most time a comparison is given on the emulated device, once it looks like a gain; on a GPU
// it is the case's cap.
inline constexpr double kPromisingSeconds = 20;
// By its rule.
[[nodiscard]] int most_pairs_of_a_comparison();

}  // namespace autokernel::trial
