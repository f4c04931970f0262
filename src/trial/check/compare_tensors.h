// One tensor against what it should be: every element, no percentage.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "autokernel/cases/case.h"
#include "autokernel/trial/result.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// What counts as equal. NaN and infinities never do, on either side.
struct Closeness {
  enum class Kind : std::uint8_t {
    bits,    // the same value; zeros of either sign are the same value
    within,  // |got - expected| <= tolerance.allowed(expected) + factor * magnitude
  };
  Kind kind = Kind::bits;
  cases::Tolerance tolerance;
  double factor = 0;                  // of magnitudes
  std::span<const float> magnitudes;  // one per element; empty: none
};

struct Comparison {
  std::uint64_t count = 0;
  std::uint64_t differing = 0;
  std::uint64_t first = 0;       // index of the first that differs
  std::uint64_t not_finite = 0;  // how many of those that differ are infinite or no number
  double largest = 0;  // largest finite |got - expected| among those that differ; 0: none is finite
  bool all_finite = true;   // whether expected is finite everywhere
  Differences differences;  // over all elements, differing or not, where finite
};

[[nodiscard]] Comparison compare(cases::DType dtype, std::span<const std::byte> got,
                                 std::span<const std::byte> expected, const Closeness& closeness);

}  // namespace autokernel::trial
