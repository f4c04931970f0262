#include "golden/elements.h"

#include <bit>
#include <cstdlib>

namespace emulator::golden {
namespace {

// A float of so many bits of exponent and mantissa.
std::uint32_t float_of(int value, unsigned exponent_bits, unsigned mantissa_bits) {
  if (value == 0) return 0;
  const auto size = static_cast<std::uint32_t>(std::abs(value));
  const auto power = static_cast<unsigned>(std::bit_width(size)) - 1;
  const std::uint32_t bias = (1U << (exponent_bits - 1)) - 1;
  const std::uint32_t mantissa = (size << mantissa_bits >> power) & ((1U << mantissa_bits) - 1);
  const std::uint32_t sign = value < 0 ? 1U << (exponent_bits + mantissa_bits) : 0;
  return sign | (bias + power) << mantissa_bits | mantissa;
}

std::uint32_t encoded(Element type, int value) {
  switch (type) {
    case Element::f16:
      return float_of(value, 5, 10);
    case Element::bf16:
      return float_of(value, 8, 7);
    case Element::e4m3:
      return float_of(value, 4, 3);
    case Element::e5m2:
      return float_of(value, 5, 2);
    default:
      return float_of(value, 8, 23);
  }
}

}  // namespace

std::string spelling(Element type) {
  switch (type) {
    case Element::f16:
      return "f16";
    case Element::bf16:
      return "bf16";
    case Element::tf32:
      return "tf32";
    case Element::e4m3:
      return "e4m3";
    case Element::e5m2:
      return "e5m2";
    case Element::s8:
      return "s8";
    case Element::u8:
      return "u8";
    case Element::b1:
      return "b1";
    case Element::f32:
      return "f32";
    case Element::s32:
      return "s32";
  }
  return "";
}

unsigned bits_of(Element type) {
  switch (type) {
    case Element::b1:
      return 1;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::tf32:
    case Element::f32:
    case Element::s32:
      return 32;
    default:
      return 8;
  }
}

std::uint32_t random_word(Element type, std::uint64_t& state) {
  const std::uint64_t random = next_random(state);
  if (type == Element::b1 || type == Element::s8 || type == Element::u8 || type == Element::s32)
    return static_cast<std::uint32_t>(random);
  constexpr unsigned kValues = 11;
  std::uint32_t word = 0;
  std::uint64_t rest = random >> 8U;
  for (unsigned bit = 0; bit < 32; bit += bits_of(type)) {
    word |= encoded(type, static_cast<int>(rest % kValues) - 5) << bit;
    rest /= kValues;
  }
  return word;
}

Words random_words(Element type, std::size_t count, std::uint64_t seed) {
  Words words(count);
  for (std::uint32_t& word : words) word = random_word(type, seed);
  return words;
}

}  // namespace emulator::golden
