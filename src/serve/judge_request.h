// What a judge makes of a client's request: the case is its own, and of the request it takes what
// is of the kernel and of how much is measured, within bounds.
#pragma once

#include "autokernel/trial/order.h"
#include "serve/queue.h"
#include "serve/registered_cases.h"

namespace autokernel::serve {

// Without the files of the case (with_case() adds them). Throws Error(usage) for what cannot be
// judged: a size that the case lacks, a kernel in Python, a source that is too large.
[[nodiscard]] trial::TrialOrder judged_order(const trial::TrialOrder& asked,
                                             const RegisteredCase& own);
// To be sent to who measures it.
[[nodiscard]] trial::TrialOrder with_case(trial::TrialOrder order, const RegisteredCase& own,
                                          const driver::DeviceChoice& device);
[[nodiscard]] Wanted wanted_by(const trial::Request& asked);

}  // namespace autokernel::serve
