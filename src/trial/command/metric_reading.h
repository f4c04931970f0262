// The numbers that a run of a command comes to.
#pragma once

#include <map>
#include <string>

#include "autokernel/cases/command.h"

namespace autokernel::trial {

// What there is to read them from.
struct CommandOutputs {
  std::string printed;                       // on standard output, by the run
  std::map<std::string, std::string> files;  // [command] outputs, by path
  double seconds = 0;                        // the run's
  double processor_seconds = 0;
};

// What is wrong with it, in words that follow the name of the metric; empty: `value` is it.
struct MetricReading {
  double value = 0;
  std::string fault;
};
// Of a run; of the check, with what that printed in the place of what the run did.
[[nodiscard]] MetricReading read_metric(const cases::Metric& metric, const CommandOutputs& outputs);

}  // namespace autokernel::trial
