// What a plot is made from: the experiments of one table of results, and what is known about the
// machine they ran on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::plot {

enum class Fate : std::uint8_t { kept, discarded, failed };

// Of a time, in microseconds: the true value lies in it 95 times in 100.
struct Interval {
  double low = 0;
  double high = 0;
};

struct Experiment {
  std::string commit;
  Fate fate = Fate::discarded;
  std::optional<double> median_us;  // none: it was not timed
  std::optional<double> tflops_s;
  std::string description;
  std::optional<Interval> interval_us;  // only from a ledger
};

// The first experiment that was kept is the baseline. Text may hold anything.
struct History {
  std::vector<Experiment> experiments;  // in the order made
  // What follows is empty or none where there is no ledger to say it.
  std::string problem;  // "MatMul [1024,1024] x [1024,1024] bfloat16"
  std::string device;   // "NVIDIA H200"
  std::string run;      // its tag
  std::optional<double> library_us;
  std::optional<double> roofline_us;  // what the device needs for the case at least
};

}  // namespace autokernel::plot
