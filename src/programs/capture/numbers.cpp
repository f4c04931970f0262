#include "programs/capture/numbers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "autokernel/base/parallel.h"
#include "autokernel/cases/captured_values.h"

namespace autokernel::programs {
namespace {

// Which way a move takes each number.
class Move {
 public:
  Move(unsigned number, std::mt19937 random) : number_(number), random_(random) {}
  [[nodiscard]] bool grows(bool is_negative) {
    if (number_ == 0) return !is_negative;
    if (number_ == 1) return is_negative;
    return (random_() & 1U) != 0;
  }

 private:
  unsigned number_;
  std::mt19937 random_;
};

// A generator of its own for each part, so that results do not depend on how many threads there
// are.
[[nodiscard]] std::mt19937 generator_of(std::size_t first, unsigned seed) {
  constexpr std::uint32_t kSpread = 0x9E3779B9;
  return std::mt19937(seed + static_cast<std::uint32_t>(first / kElementsOfPart) * kSpread);
}

}  // namespace

bool is_plain_float(cases::DType dtype) {
  return dtype == cases::DType::f64 || dtype == cases::DType::f32 || dtype == cases::DType::f16 ||
         dtype == cases::DType::bf16;
}

double rounding(cases::DType dtype) { return std::ldexp(1, -cases::mantissa_bits(dtype) - 1); }

void over_elements(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t parts = (count + kElementsOfPart - 1) / kElementsOfPart;
  in_parallel(parts, kElementsOfPart, [&](std::size_t first, std::size_t end) {
    for (std::size_t part = first; part < end; ++part) {
      work(part * kElementsOfPart, std::min((part + 1) * kElementsOfPart, count));
    }
  });
}

bool are_finite(cases::DType dtype, const Bytes& bytes) {
  if (!is_plain_float(dtype)) return true;
  std::atomic<bool> finite = true;
  over_elements(bytes.size() / cases::size_of(dtype), [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (!std::isfinite(value_at(dtype, bytes, i))) finite = false;
    }
  });
  return finite;
}

void move_by_one_place(cases::DType dtype, Bytes& bytes, unsigned number) {
  const auto move = [&]<typename Word>(Word /*of*/) {
    over_elements(bytes.size() / sizeof(Word), [&](std::size_t first, std::size_t end) {
      Move to(number, generator_of(first, number));
      for (std::size_t i = first; i < end; ++i) {
        std::byte* const at = bytes.data() + i * sizeof(Word);
        Word word{};
        std::memcpy(&word, at, sizeof word);
        constexpr auto kMagnitude = static_cast<Word>(~(Word{1} << (8 * sizeof(Word) - 1)));
        if ((word & kMagnitude) == 0) continue;  // zeros are often there on purpose
        const bool grows = to.grows(word > kMagnitude);
        // Infinities are, too, and one that grew would be no number any more.
        if (!std::isfinite(value_at(dtype, bytes, i))) continue;
        const auto moved = static_cast<Word>(grows ? word + 1U : word - 1U);
        std::memcpy(at, &moved, sizeof moved);
        if (std::isfinite(value_at(dtype, bytes, i))) continue;
        std::memcpy(at, &word, sizeof word);
      }
    });
  };
  if (dtype == cases::DType::f64) move(std::uint64_t{});
  if (dtype == cases::DType::f32) move(std::uint32_t{});
  if (dtype == cases::DType::f16 || dtype == cases::DType::bf16) move(std::uint16_t{});
}

void make_anew(cases::DType dtype, cases::CapturedUse use, Bytes& bytes, unsigned seed) {
  if (use == cases::CapturedUse::kept) return;
  const bool is_drawn = use == cases::CapturedUse::drawn;
  const Bytes values = bytes;
  const std::size_t element = cases::size_of(dtype);
  const std::size_t count = bytes.size() / element;
  over_elements(count, [&](std::size_t first, std::size_t end) {
    std::mt19937 random = generator_of(first, seed);
    const auto random_element = [&] {
      // Of the product's 64 bits the upper half is as good as a remainder, and faster.
      return static_cast<std::size_t>((std::uint64_t{random()} * count) >> 32U);
    };
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t from = is_drawn ? random_element() : i;
      std::uint64_t bits = 0;
      std::memcpy(&bits, values.data() + from * element, element);
      const auto word = static_cast<std::uint32_t>(random());
      bits = is_drawn ? cases::near_captured(dtype, bits, word) : cases::perturbed(bits, word);
      std::memcpy(bytes.data() + i * element, &bits, element);
    }
  });
}

}  // namespace autokernel::programs
