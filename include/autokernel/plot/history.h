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
  std::optional<double> time_us;  // on the history's scale; none: it was not timed
  std::optional<double> tflops_s;
  std::string description;
  std::optional<Interval> interval_us;  // only from a ledger
};

// What the times of a history are.
enum class Scale : std::uint8_t {
  medians,  // each of a process of its own: what lies between two of them is no gain
  pairs     // the baseline's median, and from there on the gains of pairs of launches
};

// How many times as fast the best is, measured again in fresh processes.
struct Confirmed {
  double ratio = 1;
  double low = 1;
  double high = 1;
  int processes = 0;
};

// What the experiments are measured by, in place of a time. Where more of it is better, what
// History holds as times are 1 over its values: less is better of all that is in it.
struct Measure {
  std::string name;
  std::string unit;
  bool higher_is_better = false;

  // Its value, for what stands as a time.
  [[nodiscard]] double value(double time) const { return higher_is_better ? 1 / time : time; }
};

// The first experiment that was kept is the baseline. Text may hold anything.
struct History {
  std::vector<Experiment> experiments;  // in the order made
  Scale scale = Scale::medians;
  // What follows is empty or none where there is no ledger to say it.
  std::optional<Measure> measure;
  std::string problem;  // "MatMul [1024,1024] x [1024,1024] bfloat16"
  std::string device;   // "NVIDIA H200"
  std::string run;      // its tag
  std::optional<Confirmed> confirmed;
  std::string library = "library";  // what library_us is the time of: "OpenBLAS"
  std::optional<double> library_us;
  std::optional<double> roofline_us;  // what the device needs for the case at least
};

}  // namespace autokernel::plot
