#include "trial/inputs/indices.h"

#include <bit>
#include <optional>
#include <utility>

namespace autokernel::trial {
namespace {

// Where the share of the range begins that is the own of `place`: place * choices / length.
[[nodiscard]] std::uint64_t share(const IntegerRange& range, std::uint64_t place,
                                  std::uint64_t length) {
  return place * range.choices / length;
}

// Any mixing will do, as long as the device source has the same.
[[nodiscard]] std::uint32_t mixed(std::uint32_t value) {
  value *= 0x9E3779B1U;
  value ^= value >> 15U;
  value *= 0x85EBCA6BU;
  return value ^ (value >> 13U);
}

}  // namespace

std::int64_t sorted_value(const IntegerRange& range, std::uint64_t place, std::uint64_t length,
                          std::uint32_t word) {
  const std::uint64_t begin = share(range, place, length);
  const std::uint64_t width = share(range, place + 1, length) - begin;
  return range.first + static_cast<std::int64_t>(begin + ((word * width) >> 32U));
}

std::int64_t offset_value(const IntegerRange& range, std::uint64_t place, std::uint64_t length,
                          std::uint32_t word) {
  if (place == 0) return range.first;
  if (place + 1 == length) return range.first + static_cast<std::int64_t>(range.choices - 1);
  return sorted_value(range, place - 1, length - 2, word);
}

Permutation::Permutation(const Key& key, std::uint32_t tensor, std::uint64_t row,
                         std::uint64_t length)
    : keys_(philox({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32U), tensor,
                    static_cast<std::uint32_t>(Purpose::orders)},
                   key)),
      length_(length),
      half_bits_((static_cast<unsigned>(std::bit_width(length - 1)) + 1) / 2) {}

std::uint64_t Permutation::operator()(std::uint64_t place) const {
  if (length_ < 2) return 0;
  const std::uint32_t mask = (1U << half_bits_) - 1;
  std::uint64_t value = place;
  do {
    auto left = static_cast<std::uint32_t>(value >> half_bits_);
    auto right = static_cast<std::uint32_t>(value) & mask;
    for (const std::uint32_t round : keys_) {
      left = std::exchange(right, left ^ (mixed(right + round) & mask));
    }
    value = static_cast<std::uint64_t>(left) << half_bits_ | right;
  } while (value >= length_);
  return value;
}

void make_indices(const Recipe& recipe, const Key& key, std::uint64_t begin,
                  std::span<const std::uint32_t> words, std::span<std::int64_t> to) {
  const IntegerRange range = integer_range(recipe.declared);
  const std::uint64_t length = recipe.row_length;
  std::optional<Permutation> order;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::uint64_t place = (begin + i) % length;
    switch (recipe.declared.distribution) {
      case cases::Distribution::sorted:
        to[i] = sorted_value(range, place, length, words[i]);
        break;
      case cases::Distribution::offsets:
        to[i] = offset_value(range, place, length, words[i]);
        break;
      default:
        if (place == 0 || !order) order.emplace(key, recipe.index, (begin + i) / length, length);
        to[i] = static_cast<std::int64_t>((*order)(place));
    }
  }
}

}  // namespace autokernel::trial
