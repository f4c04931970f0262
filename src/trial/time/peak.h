// What a device could do at best on a case: for pct_peak, and for the floor below which no time is
// believed.
#pragma once

#include <optional>
#include <string>

#include "autokernel/driver/device_info.h"
#include "autokernel/driver/units.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// Of the type the case's products are made in: that of its first input.
[[nodiscard]] std::optional<double> peak_tflops(const driver::DeviceInfo& device,
                                                const cases::Case& problem);

// What the kernel with that PTX computes with. Integers count only in a case without floating
// tensors.
[[nodiscard]] std::optional<driver::Unit> unit_of(const std::string& ptx,
                                                  const cases::Case& problem);

// The least time for the case's arithmetic, and for reading its inputs and writing what the L2 does
// not hold. 0 where the device's rates are unknown.
[[nodiscard]] double floor_microseconds(const driver::DeviceInfo& device, const SizedCase& sized);

}  // namespace autokernel::trial
