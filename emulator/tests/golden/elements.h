// Small whole numbers as elements of every type: what is added up of them is exact.
#pragma once

#include <cstdint>
#include <string>

#include "golden/cases.h"

namespace emulator::golden {

enum class Element : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, u8, b1, f32, s32 };

[[nodiscard]] std::string spelling(Element type);
[[nodiscard]] unsigned bits_of(Element type);
// -5 to 5; of integers and bits any.
[[nodiscard]] std::uint32_t random_word(Element type, std::uint64_t& state);
[[nodiscard]] Words random_words(Element type, std::size_t count, std::uint64_t seed);

}  // namespace emulator::golden
