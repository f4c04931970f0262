// Whether one kernel is faster than another, so that it can be relied on: a trial in which both are
// launched in turn, and where that finds a gain, each of them in processes of its own, where the
// other cannot get at it.
#pragma once

#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {

// As supervise(), for a request with an incumbent, which is settled (Incumbent::is_confirmed). A
// gain that is not there when each kernel runs by itself becomes inconclusive, with the reason;
// what the kernel rejected itself or threw does as there. A runner that is lost with both kernels
// loaded gets a second try, whose outcome counts: a candidate that is to blame fails again, a
// passing fault of the machine or the incumbent does not.
[[nodiscard]] Result supervise_with_retry(Request request, const Limits& limits,
                                          const Observer& observer = {},
                                          const RunnerCommand& runner = {});

}  // namespace autokernel::trial
