// The time of day, as records have it.
#pragma once

#include <string>

namespace autokernel {

// Now, to the second: "2026-11-29T09:30:00Z" (ISO 8601).
[[nodiscard]] std::string utc_to_the_second();

}  // namespace autokernel
