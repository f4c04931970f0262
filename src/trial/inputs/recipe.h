// How the elements of one input come about, each from one word of the tensor's own sequence: what
// the host and a GPU make the same bytes from.
#pragma once

#include <cstdint>
#include <optional>

#include "trial/inputs/exact_inputs.h"
#include "trial/inputs/inputs.h"
#include "trial/inputs/philox.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

struct Recipe {
  std::uint32_t index = 0;  // of the tensor in its case: of its sequence
  cases::DType dtype = cases::DType::f32;
  // A factor of exact inputs; all others have values of the declared distribution, which are then
  // changed.
  std::optional<WholeNumbers> whole;
  cases::Fill declared;
  std::uint64_t row_length = 1;  // the last dimension
  enum class Change : std::uint8_t { none, times, mixed, constant };
  Change change = Change::none;
  float factor = 1;  // `times`: of all; `constant`: what they are instead
  cases::CapturedUse use = cases::CapturedUse::drawn;  // of captured values
  // Of which launch they are, before that is taken modulo all that were captured; not where they
  // are drawn from all.
  std::uint32_t set = 0;
  std::uint32_t spread = 0;  // `mixed`: times a power of two in [-spread, spread]
};

// Of the tensor with that index, which is read.
[[nodiscard]] Recipe recipe_of(const SizedCase& sized, std::size_t index, InputKind input_kind,
                               const Key& key);

// Uniform values are low + width * word / 2^32: in doubles of an f64, in floats, which low and
// width then are, of anything else. Whole ones are first + word * choices / 2^32.
struct UniformRange {
  double low = 0;
  double width = 0;
};
[[nodiscard]] UniformRange uniform_range(cases::DType dtype, const cases::Fill& fill);
struct IntegerRange {
  std::int64_t first = 0;
  std::uint64_t choices = 1;
};
[[nodiscard]] IntegerRange integer_range(const cases::Fill& fill);

}  // namespace autokernel::trial
