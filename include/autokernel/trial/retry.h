// A trial that is tried again where its runner was lost with both kernels loaded: then it is
// unknown which of the two is to blame, or whether the machine is.
#pragma once

#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {

// As supervise(); with an incumbent, a gain is confirmed in separate processes
// (Incumbent::is_confirmed). A lost runner gets a second try, whose outcome counts: a candidate
// that is to blame fails again, a passing fault of the machine or the incumbent does not.
[[nodiscard]] Result supervise_with_retry(Request request, const Limits& limits,
                                          const Observer& observer = {},
                                          const RunnerCommand& runner = {});

}  // namespace autokernel::trial
