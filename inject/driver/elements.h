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

// Of a tensor that is no plain number, a byte of it.
[[nodiscard]] double element_value(const ReplacedTensor& tensor, const Bytes& bytes,
                                   std::size_t element);
// The first element that is further from the expected one than allowed: by the tensor's bounds, or
// by `allowed`, whichever is more; that is empty, or has a number for each element. Of a tensor
// that is no plain number, the first other byte.
[[nodiscard]] std::optional<Difference> first_difference(const ReplacedTensor& tensor,
                                                         const Bytes& got, const Bytes& expected,
                                                         const std::vector<double>& allowed);
// Raises `largest`, which is empty at first, to the distance of each two elements, where it is a
// number.
void add_distances(const ReplacedTensor& tensor, const Bytes& one, const Bytes& other,
                   std::vector<double>& largest);
// What may differ by as much: a few moves find less than the most that an element can move, so that
// what is usual in its tensor counts as well; a few large ones among them do not.
[[nodiscard]] std::vector<double> allowances(const std::vector<double>& distances);
// The median of their absolute values, of those that are finite and not 0.
[[nodiscard]] double median_size(const ReplacedTensor& tensor, const Bytes& bytes);

enum class Move { up, down, at_random };
// Each number by one unit in the last place, away from zero or towards it; at random by an own
// sequence, which begins with `seed`. Zeros, and what would not be finite any more, stay.
void move_by_one_place(const ReplacedTensor& tensor, Bytes& bytes, Move move, unsigned seed);

}  // namespace autokernel::inject
