// Inputs of a matrix product whose result is the same to the bit in every order of summation in
// fp32, and wrong in any arithmetic that is narrower: whole numbers times a power of two per row of
// the left and per column of the right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

// Fills the two inputs of the product; `inputs` is indexed like the case's tensors and has their
// sizes.
void fill_exact(const SizedCase& sized, const cases::SumOfProducts& product, const Key& key,
                std::span<Bytes> inputs);

}  // namespace autokernel::trial
