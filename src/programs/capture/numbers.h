// Elements of captured memory as numbers: what they are, and changed as little as can be.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::programs {

using Bytes = std::vector<std::byte>;

// f64, f32, f16 or bf16: of others the bits are compared.
[[nodiscard]] bool is_plain_float(cases::DType dtype);
// Of one of those types.
[[nodiscard]] inline double value_at(cases::DType dtype, const Bytes& bytes, std::size_t index);
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

// Calls work(first, end) for parts that together are the elements [0, count), at the same time. The
// parts are the same on every machine.
inline constexpr std::size_t kElementsOfPart = std::size_t{1} << 16U;
void over_elements(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work);

// Looked at for each element of all tensors, some ten times.
double value_at(cases::DType dtype, const Bytes& bytes, std::size_t index) {
  const auto word = [&]<typename Word>(Word value) {
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
  };
  const auto from_bits = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  switch (dtype) {
    case cases::DType::f64:
      return word(double{});
    case cases::DType::f32:
      return static_cast<double>(word(float{}));
    case cases::DType::bf16:
      return static_cast<double>(from_bits(std::uint32_t{word(std::uint16_t{})} << 16U));
    default: {
      // The exponent of a half, moved to that of a float; multiplying normalises what is subnormal.
      const std::uint32_t half = word(std::uint16_t{});
      const std::uint32_t magnitude = half & 0x7fffU;
      const float scaled = from_bits(magnitude << 13U) * 0x1p112F;
      const std::uint32_t infinite = magnitude >= 0x7c00U ? 0x7f800000U : 0U;
      return static_cast<double>(
          from_bits(std::bit_cast<std::uint32_t>(scaled) | infinite | (half & 0x8000U) << 16U));
    }
  }
}

}  // namespace autokernel::programs
