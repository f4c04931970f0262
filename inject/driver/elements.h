// Elements of tensors as numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "driver/replacement.h"

namespace autokernel::inject {

using Bytes = std::vector<unsigned char>;

struct Difference {
  std::size_t element = 0;
  double got = 0, expected = 0;
};

// The first element that is further from the expected one than the tensor's bounds, with `absolute`
// in place of its own, allow; of a tensor that is no plain number, the first other one, as its
// byte.
[[nodiscard]] std::optional<Difference> first_difference(const ReplacedTensor& tensor,
                                                         const Bytes& got, const Bytes& expected,
                                                         double absolute);
// The largest distance of any two elements that are finite.
[[nodiscard]] double largest_distance(const ReplacedTensor& tensor, const Bytes& one,
                                      const Bytes& other);

// Of the elements that are finite.
[[nodiscard]] double root_mean_square(const ReplacedTensor& tensor, const Bytes& bytes);

enum class Move { up, down, at_random };
// Each number by one unit in the last place, away from zero or towards it; at random by an own
// sequence, which begins with `seed`. Zeros, and what would not be finite any more, stay.
void move_by_one_place(const ReplacedTensor& tensor, Bytes& bytes, Move move, unsigned seed);

}  // namespace autokernel::inject
