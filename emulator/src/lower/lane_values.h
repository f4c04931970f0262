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

struct LaneValues {
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
  bool operator==(const LaneValues&) const = default;

  [[nodiscard]] static LaneValues uniform(Range range, unsigned trailing_zeros = 0);
  [[nodiscard]] static LaneValues uniform(unsigned bits) { return uniform(full_range(bits)); }
  [[nodiscard]] static LaneValues constant(std::int64_t value);
  [[nodiscard]] static LaneValues any() { return LaneValues{.kind = Kind::vector}; }
  [[nodiscard]] static LaneValues guessed(const LaneOffsets& offset);
};

// They say nothing of the width that they are meant for: they hold for a value of so many bits, and
// whoever hands them on to one of another width has to resize them.

// The least that covers both. Offsets that differ give a vector.
[[nodiscard]] LaneValues join(const LaneValues& a, const LaneValues& b);

// What integer operations give that keep their operands affine; everything else is uniform
// where all operands are, and a vector otherwise. `bits` is the width the operation works at, which
// is that of both operands, but for the amount of a shift, and of the result.
[[nodiscard]] LaneValues add(const LaneValues& a, const LaneValues& b, unsigned bits);
[[nodiscard]] LaneValues subtract(const LaneValues& a, const LaneValues& b, unsigned bits);
[[nodiscard]] LaneValues multiply(const LaneValues& a, const LaneValues& b, unsigned bits);
[[nodiscard]] LaneValues shift_left(const LaneValues& a, const LaneValues& amount, unsigned bits);
[[nodiscard]] LaneValues shift_right(const LaneValues& a, const LaneValues& amount, unsigned bits,
                                     bool is_signed);
[[nodiscard]] LaneValues bit_and(const LaneValues& a, const LaneValues& b, unsigned bits);
[[nodiscard]] LaneValues bit_or(const LaneValues& a, const LaneValues& b, unsigned bits);

// What the upper bits of a value become that gets more of them.
enum class Extension : std::uint8_t {
  zeros,
  sign,
  either,  // one of the two: that is known of values alone that are not negative
};
[[nodiscard]] LaneValues extend(const LaneValues& a, unsigned from, unsigned to, Extension how);
[[nodiscard]] LaneValues truncate(const LaneValues& a, unsigned to);
// The one or the other.
[[nodiscard]] LaneValues resize(const LaneValues& a, unsigned from, unsigned to, Extension how);

}  // namespace emulator::lower
