// Between the units that profiles are kept in and those that are printed.
#pragma once

namespace autokernel::programs {

inline constexpr double kNsPerUs = 1000;
inline constexpr double kPercent = 100;

}  // namespace autokernel::programs
