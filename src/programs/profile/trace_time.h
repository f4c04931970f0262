// Times as traces write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace autokernel::programs {

// Microseconds in decimal digits, "1250000000417.54", as whole nanoseconds: a double would lose
// them, since times are counted from 1970. None for what is no such time, and for those outside of
// some hundred years.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_in(std::string_view microseconds);

}  // namespace autokernel::programs
