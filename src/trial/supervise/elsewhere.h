// A trial on another machine: this program there supervises it, and says what becomes of it.
#pragma once

#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {

// As supervise(), for a request whose device has a place (driver::DeviceChoice). One connection to
// a place serves all trials of this process. Where it breaks, the trial is made once more, which a
// warning of the result says. Throws Error(environment) where the place cannot be reached, or has
// another build of the program.
[[nodiscard]] Result supervise_elsewhere(const Request& request, const Limits& limits,
                                         const Observer& observer);

}  // namespace autokernel::trial
