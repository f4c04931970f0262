// How much an operation computes and moves, and how long that takes a device at least.
#pragma once

#include <optional>

#include "autokernel/programs/ranking.h"

namespace autokernel::programs {

// None where the operation is no product, or the device's peaks are not known (the emulated device,
// a profile that does not tell the clocks).
[[nodiscard]] std::optional<Limit> limit_of(const Operation& operation,
                                            const driver::DeviceInfo& device);

}  // namespace autokernel::programs
