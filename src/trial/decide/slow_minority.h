// Whether a kernel that is mostly faster pays for it in a few launches. A trimmed mean leaves those
// out, as it must on a machine that others use as well; here they are compared
// with the slow launches of the incumbent, which the machine disturbs as often.
#pragma once

#include <cstdint>
#include <span>

#include "autokernel/trial/decision.h"

namespace autokernel::trial {

struct SlowMinority {
  // The logarithm of incumbent over candidate in plain means, of which nothing is left out.
  double plain_mean = 0;
  // Of as many of the pairs that differ most being the candidate's slow ones, where a slow launch
  // is either's as likely.
  double p_value = 1;
};
// Below this chance, the slow launches are the candidate's own.
inline constexpr double kNoChanceForMinority = 1e-5;
// `log_ratios` as in autokernel/trial/decision.h; `mean` is their trimmed mean.
[[nodiscard]] SlowMinority slow_minority(std::span<const double> log_ratios, double mean);

// Of a gain by the trimmed mean: whether it stands (faster), or is paid for in slow launches
// (not_faster), or more pairs are needed to tell. `last` is said where there can be no more.
enum class Looking : std::uint8_t { on, last };
[[nodiscard]] Conclusion conclude_gain(std::span<const double> log_ratios,
                                       const PairedEstimate& estimate, Looking looking);

// Whether the candidate is surely not slower by min_gain (decision.h), nor slower by as much with
// its slow launches, nor has more of those than chance explains.
[[nodiscard]] bool is_as_fast_guarded(std::span<const double> log_ratios,
                                      const PairedEstimate& estimate, double min_gain);

// decision.h's conclusion, and where that is a gain, the one above.
[[nodiscard]] Conclusion conclude_guarded(std::span<const double> log_ratios,
                                          const PairedEstimate& estimate, double min_gain,
                                          Looking looking);

}  // namespace autokernel::trial
