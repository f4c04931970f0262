#include "trial/decide/input_dependence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "autokernel/base/defences.h"
#include "autokernel/trial/decision.h"

namespace autokernel::trial {
namespace {

// So many standard errors apart is more than chance, and more than what inputs of other bits cost
// an honest kernel in power. A kernel that stays within them gains less by it than a comparison
// asks for.
constexpr double kDifferentErrors = 4;

}  // namespace

std::vector<double> of_kind(InputKind kind, std::span<const double> values,
                            std::span<const InputKind> kinds) {
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kinds[i] == kind) some.push_back(values[i]);
  }
  return some;
}

std::optional<InputKind> lesser_kind(std::span<const double> values,
                                     std::span<const InputKind> kinds) {
  if (kinds.empty() || !stands(Defence::lesser_gain)) return std::nullopt;
  const InputKind one = kinds.front();
  const auto found = std::ranges::find_if(kinds, [&](InputKind kind) { return kind != one; });
  if (found == kinds.end()) return std::nullopt;
  const std::vector<double> some = of_kind(one, values, kinds);
  const std::vector<double> others = of_kind(*found, values, kinds);
  if (std::min(some.size(), others.size()) < kFewestPairs) return std::nullopt;
  const PairedEstimate of_some = estimate(some);
  const PairedEstimate of_others = estimate(others);
  const double chance =
      kDifferentErrors * std::hypot(of_some.standard_error, of_others.standard_error);
  if (std::fabs(of_some.mean - of_others.mean) <= chance) return std::nullopt;
  return of_some.mean < of_others.mean ? one : *found;
}

CountedTimes counted_times(std::vector<double> times_us, std::span<const InputKind> kinds) {
  std::vector<double> logs;
  logs.reserve(times_us.size());
  for (const double time : times_us) logs.push_back(-std::log(time));
  const auto kind = lesser_kind(logs, kinds);
  if (!kind) return {std::move(times_us), std::nullopt};
  return {of_kind(*kind, times_us, kinds), kind};
}

const char* name_of(InputKind kind) {
  return kind == InputKind::exact ? "exact inputs" : "the inputs of the case";
}

}  // namespace autokernel::trial
