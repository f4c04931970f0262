// How near a kernel comes to what its device can do at most.
#pragma once

#include <cstdint>
#include <optional>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

enum class Bound : std::uint8_t { compute, memory };
[[nodiscard]] const char* spelling(Bound bound);

struct Roofline {
  Bound bound;      // which of the device's limits this problem meets first
  double peak_pct;  // share of that limit the median reaches, percent
};

// Nothing where the times or the device's limits are not known, as on the emulated device.
[[nodiscard]] std::optional<Roofline> roofline(const Result& result);

}  // namespace autokernel::trial
