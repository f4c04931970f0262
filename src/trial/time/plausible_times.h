// Whether times can be what a launcher says they are: nothing is faster than the device, and the
// time stamps of a device must agree with the host's clock.
#pragma once

#include <optional>

#include "autokernel/driver/device_info.h"
#include "trial/inputs/sized_case.h"
#include "trial/launch/rejection.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {

// Why the times of a GPU cannot be; none where they can. Of the emulated device nothing is known
// that a time could be held against.
[[nodiscard]] std::optional<Rejection> implausible(const driver::DeviceInfo& device,
                                                   const SizedCase& sized, const Timed& timed);

// Whether a row of launches took no longer by the host's clock than their warm time by events
// allows.
[[nodiscard]] bool clocks_agree(const HostRow& row, double warm_us);

}  // namespace autokernel::trial
