// Results in a rounding direction that the processor is not set to. A number that no double holds
// is carried as the double nearest to it and the sign of what is missing; every narrower format is
// then rounded to once, in any direction.
#pragma once

#include <optional>

#include "lower/ir.h"
#include "ptx/ast.h"

namespace emulator::lower {

constexpr std::uint64_t kCanonicalNanHalf = 0x7fff;  // of f16 and of bf16

enum class Rounding : std::uint8_t { nearest, zero, down, up };

// .rz, .rm, .rp; to nearest even where the instruction names none of them.
[[nodiscard]] Rounding rounding_of(const ptx::Instruction& instruction);

// The exact number is `value` (double) where `rest` is zero, NaN or absent; else it lies less than
// one unit in the last place from it, on the side that the sign of `rest` says.
struct Exact {
  Value value;
  std::optional<Value> rest;
};
// Of doubles; neither may overflow, and the product of a quotient and its divisor must not
// underflow, which holds for all doubles that were floats.
[[nodiscard]] Exact exact_sum(Ir& ir, const Value& a, const Value& b);
[[nodiscard]] Exact exact_quotient(Ir& ir, const Value& a, const Value& b);
[[nodiscard]] Exact exact_root(Ir& ir, const Value& a);
// Of an integer of any width.
[[nodiscard]] Exact exact_integer(Ir& ir, const Value& integer, bool is_signed);

// The double that every format of at most 51 bits rounds as it would the exact number: the nearest
// one where that is exact, else the neighbour whose last bit is set.
Value rounded_to_odd(Ir& ir, const Exact& exact);
// The same one size down; for formats of at most 22 bits.
Value odd_float(Ir& ir, const Value& number);

// double to float, of an exact number or one rounded to odd.
Value narrow_to_float(Ir& ir, const Value& number, Rounding rounding);
// float to the bits (i16) of f16 or bf16; NaN becomes the canonical one.
Value narrow_to_half(Ir& ir, const Value& number, ptx::Type type, Rounding rounding);
// The double in this direction from the exact number.
Value round_double(Ir& ir, const Exact& exact, Rounding rounding);

// A sum that is zero, as `down` wants it: negative unless both terms are positive.
Value zero_sum_downwards(Ir& ir, const Value& sum, const Value& a, const Value& b);

}  // namespace emulator::lower
