// Repetitions in a sequence of launches: the steps of a training loop, tokens of a decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace autokernel::programs {

struct Repetition {
  std::size_t first;   // the launch with which the first whole one begins
  std::size_t length;  // launches of one
  std::size_t count;   // whole ones, one directly after the other
};

// What a launch is to others, by its number: equal ones do the same. `idle_before` is how long the
// device had nothing to do before each; of all places at which a repetition could be said to begin,
// the one with the longest pause is taken. None where nothing is repeated at least three times.
[[nodiscard]] std::optional<Repetition> repetition_in(const std::vector<std::uint32_t>& launches,
                                                      const std::vector<double>& idle_before);

}  // namespace autokernel::programs
