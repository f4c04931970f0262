// Tensors of indices: each element follows from its place in its row and from its own word, so that
// the host and a GPU make the same ones in any order (launch/device_operands).
#pragma once

#include <cstdint>
#include <span>

#include "trial/inputs/philox.h"
#include "trial/inputs/recipe.h"

namespace autokernel::trial {

// Element `place` of a row of `length` whole numbers that ascend from `range.first` on: one of the
// share of the range that is its own, so that none is less than the one before.
[[nodiscard]] std::int64_t sorted_value(const IntegerRange& range, std::uint64_t place,
                                        std::uint64_t length, std::uint32_t word);
// The same, but for the first and the last, which are the ends of the range.
[[nodiscard]] std::int64_t offset_value(const IntegerRange& range, std::uint64_t place,
                                        std::uint64_t length, std::uint32_t word);

// A random order of 0 to length - 1, by a Feistel network of four rounds over the next power of
// four, walked until the result is below `length` (Black and Rogaway, "Ciphers with arbitrary
// finite domains", 2002).
class Permutation {
 public:
  // Of that row of the tensor with that index.
  Permutation(const Key& key, std::uint32_t tensor, std::uint64_t row, std::uint64_t length);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t place) const;

 private:
  PhiloxBlock keys_;
  std::uint64_t length_;
  unsigned half_bits_;
};

// Elements of that tensor from `begin` on, whose words these are.
void make_indices(const Recipe& recipe, const Key& key, std::uint64_t begin,
                  std::span<const std::uint32_t> words, std::span<std::int64_t> to);

}  // namespace autokernel::trial
