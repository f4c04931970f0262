// Driving an external coding agent (Loop::drive): brief it, let it edit, make the experiment, and
// again, until a budget, a plateau or a signal.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "autokernel/loop/loop.h"

namespace autokernel::loop {

struct DriveOptions {
  std::string agent;  // a command line for /bin/sh
  // Bounds of this drive, counted from its beginning; the run's own budget holds as well.
  ledger::Budget budget;
  double agent_seconds = 1800;
  bool simpler = false;
};

// Who wants to know what goes on; an empty function is not called.
struct DriveObserver {
  std::function<void(const Step&)> stepped;
  std::function<void(const ledger::Turn&)> in_vain;
  std::function<void(std::chrono::duration<double>)> agent_works;
};

struct Driven {
  int experiments = 0;
  int turns_in_vain = 0;
  std::string why;  // it stopped
  int signal = 0;   // that stopped it; 0: none did
  // Turn after turn led to no experiment. `agent_failed`: the last one, as the agent failed.
  bool gave_up = false;
  bool agent_failed = false;
};

}  // namespace autokernel::loop
