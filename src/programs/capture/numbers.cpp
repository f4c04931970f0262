#include "programs/capture/numbers.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "autokernel/cases/captured_values.h"

namespace autokernel::programs {
namespace {

// Which way a move takes each number.
class Move {
 public:
  explicit Move(unsigned number) : number_(number), random_(number) {}
  [[nodiscard]] bool grows(bool is_negative) {
    if (number_ == 0) return !is_negative;
    if (number_ == 1) return is_negative;
    return (random_() & 1U) != 0;
  }

 private:
  unsigned number_;
  std::mt19937 random_;
};

[[nodiscard]] double value_of_f16(std::uint16_t half) {
  const int exponent = static_cast<int>((half >> 10U) & 0x1fU);
  const double fraction = (half & 0x3ffU) / 1024.0;
  constexpr int kInfinite = 31;
  double magnitude =
      exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  if (exponent == kInfinite) magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

}  // namespace

bool is_plain_float(cases::DType dtype) {
  return dtype == cases::DType::f64 || dtype == cases::DType::f32 || dtype == cases::DType::f16 ||
         dtype == cases::DType::bf16;
}

double rounding(cases::DType dtype) { return std::ldexp(1, -cases::mantissa_bits(dtype) - 1); }

double value_at(cases::DType dtype, const Bytes& bytes, std::size_t index) {
  const auto word = [&]<typename Word>(Word value) {
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
  };
  switch (dtype) {
    case cases::DType::f64:
      return word(double{});
    case cases::DType::f32:
      return static_cast<double>(word(float{}));
    case cases::DType::bf16:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(word(std::uint16_t{})) << 16U));
    default:
      return value_of_f16(word(std::uint16_t{}));
  }
}

bool are_finite(cases::DType dtype, const Bytes& bytes) {
  if (!is_plain_float(dtype)) return true;
  const std::size_t count = bytes.size() / cases::size_of(dtype);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(value_at(dtype, bytes, i))) return false;
  }
  return true;
}

void move_by_one_place(cases::DType dtype, Bytes& bytes, unsigned number) {
  Move to(number);
  const auto move = [&]<typename Word>(Word /*of*/) {
    for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); i += sizeof(Word)) {
      Word word{};
      std::memcpy(&word, bytes.data() + i, sizeof word);
      constexpr auto kMagnitude = static_cast<Word>(~(Word{1} << (8 * sizeof(Word) - 1)));
      if ((word & kMagnitude) == 0) continue;  // zeros are often there on purpose
      const bool grows = to.grows(word > kMagnitude);
      // Infinities are, too, and one that grew would be no number any more.
      if (!std::isfinite(value_at(dtype, bytes, i / sizeof word))) continue;
      const auto moved = static_cast<Word>(grows ? word + 1U : word - 1U);
      std::memcpy(bytes.data() + i, &moved, sizeof moved);
      if (std::isfinite(value_at(dtype, bytes, i / sizeof word))) continue;
      std::memcpy(bytes.data() + i, &word, sizeof word);
    }
  };
  if (dtype == cases::DType::f64) move(std::uint64_t{});
  if (dtype == cases::DType::f32) move(std::uint32_t{});
  if (dtype == cases::DType::f16 || dtype == cases::DType::bf16) move(std::uint16_t{});
}

void make_anew(cases::DType dtype, cases::CapturedUse use, Bytes& bytes, unsigned seed) {
  if (use == cases::CapturedUse::kept) return;
  const bool is_drawn = use == cases::CapturedUse::drawn;
  std::mt19937 random(seed);
  const Bytes values = bytes;
  const std::size_t element = cases::size_of(dtype);
  const std::size_t count = bytes.size() / element;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = is_drawn ? random() % count : i;
    std::uint64_t bits = 0;
    std::memcpy(&bits, values.data() + from * element, element);
    const auto word = static_cast<std::uint32_t>(random());
    bits = is_drawn ? cases::near_captured(dtype, bits, word) : cases::perturbed(bits, word);
    std::memcpy(bytes.data() + i * element, &bits, element);
  }
}

}  // namespace autokernel::programs
