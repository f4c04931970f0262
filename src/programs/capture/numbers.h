// Elements of captured memory as numbers: what they are, and changed as little as can be.
#pragma once

#include <cstddef>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::programs {

using Bytes = std::vector<std::byte>;

// f64, f32, f16 or bf16: of others the bits are compared.
[[nodiscard]] bool is_plain_float(cases::DType dtype);
// Of one of those types.
[[nodiscard]] double value_at(cases::DType dtype, const Bytes& bytes, std::size_t index);
// Half a unit in the last place of 1: how exact a result of the type can be.
[[nodiscard]] double rounding(cases::DType dtype);
// Whether there is neither an infinity nor a NaN; true for whole numbers.
[[nodiscard]] bool are_finite(cases::DType dtype, const Bytes& bytes);

// Moves each plain number that is not zero to one of its two neighbours. Errors of rounding add up
// in sums and cancel in differences: move 0 is all up, 1 all down, and the others are at random.
inline constexpr unsigned kMoves = 6;
void move_by_one_place(cases::DType dtype, Bytes& bytes, unsigned number);

// Inputs of another launch, as fill = "captured" makes them of those that are there.
void make_anew(cases::DType dtype, cases::CapturedUse use, Bytes& bytes, unsigned seed);

}  // namespace autokernel::programs
