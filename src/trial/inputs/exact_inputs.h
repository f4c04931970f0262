// Inputs of a matrix product whose result is the same to the bit in every order of summation in
// fp32, and wrong in any arithmetic that is narrower: whole numbers times a power of two per row of
// the left and per column of the right.
#pragma once

#include <cstdint>
#include <span>

#include "autokernel/cases/case.h"
#include "trial/inputs/philox.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// Largest whole numbers on either side: summed * left * right < 2^24, so that every partial sum is
// exact in fp32.
struct WholeLimits {
  std::int64_t left = 0;
  std::int64_t right = 0;
};
enum class Wider : std::uint8_t { left, right };
[[nodiscard]] WholeLimits whole_limits(cases::DType left, cases::DType right, std::int64_t summed,
                                       Wider wider);

// Powers of two, inclusive. They keep inputs, products and sums in the range of every type
// involved.
struct ExponentRange {
  int low = 0;
  int high = 0;
};
struct Exponents {
  ExponentRange left;
  ExponentRange right;
};
[[nodiscard]] Exponents exponents(cases::DType input, cases::DType output);

// Which index of an element its power of two hangs on.
enum class Along : std::uint8_t { rows, columns };

// How the elements of one of the two factors come about.
struct WholeNumbers {
  std::int64_t limit = 0;  // whole numbers in [-limit, limit]
  Along along = Along::rows;
  std::size_t row_length = 1;
  ExponentRange range;
};
struct Factors {
  WholeNumbers left;
  WholeNumbers right;
};
[[nodiscard]] Factors factors(const SizedCase& sized, const cases::SumOfProducts& product,
                              const Key& key);

// Fills one of them: the tensor with that index in the case.
void fill_whole(const SizedTensor& tensor, std::uint32_t index, const WholeNumbers& numbers,
                const Key& key, std::span<std::byte> bytes);

}  // namespace autokernel::trial
