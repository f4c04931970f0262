// A trial that a judge makes: another process, usually of another user, which has the devices and
// the cases.
#pragma once

#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {

// As supervise(), for a device of a judge (driver::PlaceKind::judge). The judge is sent the kernel
// and what is asked of it; the case it has itself. A connection that breaks is made again, and the
// trial is found again, not made again. Throws Error(environment) where there is no judge, and
// Error(usage) where it does not know the case.
[[nodiscard]] Result supervise_judged(const Request& request, const Limits& limits,
                                      const Observer& observer);

}  // namespace autokernel::trial
