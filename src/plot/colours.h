// Okabe and Ito's colours, which people with any colour vision tell apart; shapes and dashes say
// the same once more, on paper.
#pragma once

namespace autokernel::plot {

inline constexpr const char* kBlue = "#0072B2";
inline constexpr const char* kGrey = "#8a8a8a";
inline constexpr const char* kVermilion = "#D55E00";
inline constexpr const char* kGreen = "#009E73";
inline constexpr const char* kPurple = "#9a4d80";
inline constexpr const char* kInk = "#333333";
inline constexpr const char* kPale = "#666666";

}  // namespace autokernel::plot
