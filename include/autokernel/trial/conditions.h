// Under what conditions kernels were timed: what the device did meanwhile, who else used it, and
// whether the times can be relied on. Plain values, a part of every result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::trial {

// The lowest and the highest of what was read, one reading for each timed launch.
struct Range {
  double low = 0;
  double high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// What nobody tells is empty: all of a GPU's values where there is no NVML.
struct Conditions {
  // Of a GPU.
  std::optional<Range> sm_clock_mhz;
  std::optional<Range> memory_clock_mhz;
  std::optional<double> highest_celsius;
  std::optional<double> highest_watts;
  std::optional<std::uint64_t> throttle_reasons;  // of driver::Throttle, all that were read
  std::optional<int> other_programs;              // that compute on it, the most at a time
  int samples_redone = 0;                         // as something had slowed the GPU down
  // Of the emulated device.
  std::optional<double> others_cpu_share;  // of all processors' time: 0.25 for a quarter
  std::optional<std::string> governor;     // that sets the processor's clock: "performance"
  // Of the process in which the kernels ran.
  std::map<std::string, std::string> environment;  // variables that can change a time
  std::optional<int> niceness;
  std::optional<std::string> processors;  // that it may run on: "0-3,8"
  std::optional<std::string> emulation;   // how the emulated device runs kernels
  // Why no comparison under these conditions is a gain, in a sentence; empty: they were clean.
  std::string unclean;
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

// In a sentence each, what may have bent the times.
[[nodiscard]] std::vector<std::string> warnings_of(const Conditions& conditions);

}  // namespace autokernel::trial
