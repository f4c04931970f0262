// A trial of a [command] case: its programs are built, run and checked in folders of their own, and
// compared by the numbers that their runs come to. docs/commands.md states the rules.
#pragma once

#include <string>
#include <vector>

#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {

// Whether that is what the request is for; reads no more of the case than it needs.
[[nodiscard]] bool is_of_command(const Request& request);

// One trial. Verdicts:
//   build fails                           -> does_not_compile
//   run ends with another code than 0     -> crashed
//   output missing, metric unreadable, or
//   check ends with another code than 0   -> incorrect
//   past one of its deadlines             -> timed_out
// An incumbent that does any of these is an Error(environment): it did not when it was kept. When
// this returns or throws, every process that was started is gone, and so are their folders. Throws
// Interrupted on SIGINT, SIGTERM and SIGHUP.
[[nodiscard]] Result supervise_command(const Request& request, const Observer& observer);

// Runs the lines of [command] set_up, where all files of the case are, with a network. What it said
// in the end where it did not end with 0; empty: it did, or there are none.
[[nodiscard]] std::string set_up_fault(const Request& request, const Observer& observer);

// What a run has put out, damaged in some way, and whether the check refuses it: a check that does
// not is none.
struct DamagedOutput {
  std::string output;  // "out.json", "standard output"
  std::string how;     // "emptied"
  bool is_refused = false;
};
// Of one run of the request's program, which must pass the check. Throws as supervise_command(),
// and Error(usage) where it does not pass.
[[nodiscard]] std::vector<DamagedOutput> check_damaged_outputs(const Request& request,
                                                               const Observer& observer);

}  // namespace autokernel::trial
