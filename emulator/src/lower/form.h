// What is known, when a kernel is compiled, about the 32 values a register holds across a warp. The
// point of it: a value that is one scalar plus a constant per lane is computed once instead of 32
// times, and a load through such an address is one vector load instead of 32.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/abi.h"

namespace emulator::lower {

using LaneOffsets = std::array<std::int64_t, runtime::kWarpSize>;

// Bounds of an integer, both inclusive, read as signed at the width of what holds it.
struct Range {
  std::int64_t low;
  std::int64_t high;
  [[nodiscard]] bool constant() const { return low == high; }
  bool operator==(const Range&) const = default;
};
[[nodiscard]] Range full_range(unsigned bits);

struct Form {
  enum class Kind : std::uint8_t {
    unset,   // no definition seen yet
    affine,  // lane l holds scalar + offset[l], modulo 2^width; uniform where all offsets are 0
    vector,  // anything
  };
  Kind kind = Kind::unset;
  // affine: the offsets. vector with `guess`: the offsets the lanes most likely have relative to
  // each other; a guess is verified where it is used.
  LaneOffsets offset{};
  bool guess = false;
  Range range{0, 0};            // of the scalar
  unsigned trailing_zeros = 0;  // of the scalar, known

  [[nodiscard]] bool is_vector() const { return kind == Kind::vector; }
  [[nodiscard]] bool is_uniform() const;
  [[nodiscard]] bool is_constant() const { return is_uniform() && range.constant(); }
  [[nodiscard]] std::int64_t lowest_offset() const;
  [[nodiscard]] std::int64_t highest_offset() const;
  bool operator==(const Form&) const = default;

  [[nodiscard]] static Form uniform(Range range, unsigned trailing_zeros = 0);
  [[nodiscard]] static Form uniform(unsigned bits) { return uniform(full_range(bits)); }
  [[nodiscard]] static Form constant(std::int64_t value);
  [[nodiscard]] static Form any() { return Form{.kind = Kind::vector}; }
  [[nodiscard]] static Form guessed(const LaneOffsets& offset);
};

// A form says nothing of the width that it is meant for: it holds for a value of so many bits, and
// whoever hands it on to one of another width has to resize it.

// The smallest form that covers both. Offsets that differ give a vector.
[[nodiscard]] Form join(const Form& a, const Form& b);

// Transfer functions of the integer operations that keep a form affine; everything else is uniform
// where all operands are, and a vector otherwise. `bits` is the width the operation works at, which
// is that of both operands, but for the amount of a shift, and of the result.
[[nodiscard]] Form add(const Form& a, const Form& b, unsigned bits);
[[nodiscard]] Form subtract(const Form& a, const Form& b, unsigned bits);
[[nodiscard]] Form multiply(const Form& a, const Form& b, unsigned bits);
[[nodiscard]] Form shift_left(const Form& a, const Form& amount, unsigned bits);
[[nodiscard]] Form shift_right(const Form& a, const Form& amount, unsigned bits, bool is_signed);
[[nodiscard]] Form bit_and(const Form& a, const Form& b, unsigned bits);
[[nodiscard]] Form bit_or(const Form& a, const Form& b, unsigned bits);

// What the upper bits of a value become that gets more of them.
enum class Extension : std::uint8_t {
  zeros,
  sign,
  either,  // one of the two: that is known of values alone that are not negative
};
[[nodiscard]] Form extend(const Form& a, unsigned from, unsigned to, Extension how);
[[nodiscard]] Form truncate(const Form& a, unsigned to);
// The one or the other.
[[nodiscard]] Form resize(const Form& a, unsigned from, unsigned to, Extension how);

}  // namespace emulator::lower
