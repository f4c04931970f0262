// The process in which the candidate's code runs: it compiles and launches what it is told to, and
// hands back outputs and times. It knows neither references nor tolerances, decides nothing, and
// before the first launch it gives up files, network and other processes.
#pragma once

#include <string>

#include "autokernel/base/descriptor.h"

namespace autokernel::trial {

// Where a launcher talks to its runner.
struct LauncherChannels {
  Descriptor orders;   // to be read
  Descriptor reports;  // to be written
  Descriptor outbox;   // memory for outputs
};

// Carries out the orders of one trial. What stops the launcher itself goes to the runner as well;
// returns the exit code.
[[nodiscard]] int run_launcher(LauncherChannels channels);

}  // namespace autokernel::trial
