// Single elements of the fragments that matrix.h lays out, by their bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/abi.h"
#include "runtime/matrix.h"

namespace emulator::runtime {

// The place of an element in bits, counted from the beginning of the fragment's registers.
[[nodiscard]] inline std::size_t place_of(const Slot& slot, unsigned bits) {
  return (std::size_t{slot.reg} * kWarpSize + slot.lane) * std::max(bits, 32U) +
         std::size_t{slot.element} * bits;
}

[[nodiscard]] inline std::uint64_t bits_at(const std::uint8_t* registers, std::size_t place,
                                           unsigned bits) {
  std::uint64_t value = 0;
  if (bits < 8) return (registers[place / 8] >> (place % 8)) & ((1U << bits) - 1);
  std::memcpy(&value, registers + place / 8, bits / 8);
  return value;
}

// Of an integer type of up to 8 bits.
[[nodiscard]] inline std::int64_t integer_of(MatrixType type, std::uint64_t bits) {
  const auto value = static_cast<std::int64_t>(bits);
  if (type != MatrixType::s8 && type != MatrixType::s4) return value;
  const std::int64_t beyond = std::int64_t{1} << bits_of(type);
  return value >= beyond / 2 ? value - beyond : value;
}

}  // namespace emulator::runtime
