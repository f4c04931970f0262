// One trial, one process: the supervisor starts the runner, watches its time and memory, and says
// what became of the candidate, whatever the candidate does. It never touches a device.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// How the runner is started: by default this very program again, with its hidden subcommand. It
// gets the request on its standard input and writes events (autokernel/trial/message.h) to
// descriptor 3.
struct RunnerCommand {
  std::filesystem::path program = "/proc/self/exe";
  std::vector<std::string> arguments = {"runner"};
  // Whether it may be one that the resident process has ready (resident.h): of the usual program.
  bool may_be_ready = false;
};

// Who wants to know what goes on meanwhile; an empty function is not called.
struct Observer {
  // Several times a second: the phase, and how long the trial has been in it.
  std::function<void(Phase, std::chrono::duration<double>)> progress;
  // What is known of device and problem, and what there is to warn of beforehand; once.
  std::function<void(const Result&)> learned;
  // A signal has come that asks the program to stop; whether the trial goes on all the same.
  // Without it the trial ends.
  std::function<bool(int signal)> interrupted;
  // A line for the diagnostic log.
  std::function<void(const std::string&)> note;
};

// Runs one trial. A candidate that hangs, faults or eats all memory ends its runner and becomes a
// verdict:
//   past the deadline of compile, check or time -> timed_out
//   ended by a signal                           -> crashed, naming signal and phase
//   over limits.memory_bytes                    -> does_not_compile while compiling, crashed later
// A runner that fails before it reaches the candidate, ends without an answer, or reports an Error,
// is an Error. When this returns or throws, every process it started is dead and the runner's
// temporary folder is gone. Throws Interrupted on SIGINT, SIGTERM and SIGHUP. Not to be called from
// two threads at a time.
[[nodiscard]] Result supervise(const Request& request, const Limits& limits,
                               const Observer& observer = {}, const RunnerCommand& runner = {});

}  // namespace autokernel::trial
