// Whether a kernel's speed depends on the kind of inputs. One that recognises inputs is slower on
// the others, and is judged by its times on those.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trial/inputs/inputs.h"

namespace autokernel::trial {

// The kind with the lesser values, where they are less by more than chance; none where both are
// alike, or too few to tell. `values` are logarithms, the larger the better, in the order measured;
// `kinds` has as many entries, of two kinds at most.
[[nodiscard]] std::optional<InputKind> lesser_kind(std::span<const double> values,
                                                   std::span<const InputKind> kinds);

// The values of one kind, in their order.
[[nodiscard]] std::vector<double> of_kind(InputKind kind, std::span<const double> values,
                                          std::span<const InputKind> kinds);

// Of a kernel's times those that count: all, or where it is slower on one kind of inputs, those on
// that kind.
struct CountedTimes {
  std::vector<double> times_us;
  std::optional<InputKind> slower_on;
};
[[nodiscard]] CountedTimes counted_times(std::vector<double> times_us,
                                         std::span<const InputKind> kinds);

// "exact inputs", "the inputs of the case".
[[nodiscard]] const char* name_of(InputKind kind);

}  // namespace autokernel::trial
