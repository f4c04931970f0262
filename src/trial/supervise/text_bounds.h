// How long the texts of a trial may be, whoever wrote them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace autokernel::trial {

// One to three lines, the longest of which are a compiler's on a template with all its arguments.
inline constexpr std::size_t kLongestReason = 4000;
// One line each. ptxas warns once for each function and cause.
inline constexpr std::size_t kLongestWarning = 1000;
inline constexpr std::size_t kMostWarnings = 20;
// Names of devices, versions, cases and launches.
inline constexpr std::size_t kLongestName = 300;
// Half of what a log file may have: a compiler's log of a thousand errors.
inline constexpr std::size_t kLongestDetail = std::size_t{1} << 20;
// More than this nobody reads, and a message has to end.
inline constexpr std::size_t kLongestPtx = std::size_t{4} << 20U;

// Both ends of a text that is longer.
[[nodiscard]] std::string bounded(std::string text, std::size_t limit);
// The first ones, of bounded length, and how many more there were.
void bound_warnings(std::vector<std::string>& warnings);

}  // namespace autokernel::trial
