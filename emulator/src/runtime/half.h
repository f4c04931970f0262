// The two 16-bit floating formats, to and from float; rounding is to nearest, ties to even.
#pragma once

#include <cstdint>

namespace emulator::runtime {

[[nodiscard]] float half_to_float(std::uint16_t bits);
[[nodiscard]] std::uint16_t float_to_half(float value);
[[nodiscard]] float bfloat_to_float(std::uint16_t bits);
[[nodiscard]] std::uint16_t float_to_bfloat(float value);

}  // namespace emulator::runtime
