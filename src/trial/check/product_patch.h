// A rectangle of a matrix product, worked out once more on the host: the right values in fp64, and
// how far the crudest honest sum lies from them. What the misrounding of a result is held against
// (trial/check/misrounding.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "autokernel/cases/case.h"
#include "trial/blas/library.h"

namespace autokernel::trial {

struct Patch {
  std::int64_t first_row = 0;
  std::int64_t first_column = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// Row-major, one value for each element of the patch.
struct PatchValues {
  std::vector<double> right;       // in fp64
  std::vector<double> error;       // of the crudest honest sum, at least that of one rounding
  std::vector<double> magnitudes;  // the sum of the products' absolute values
};

// A matrix of a floating type, row-major.
struct Matrix {
  cases::DType dtype = cases::DType::f32;
  std::span<const std::byte> values;
};

// The crudest honest sum of products of f16 and bf16 is that of tensor cores, which add four
// products at a time to an accumulator in fp32 and cut off what does not fit; of f32 it is one
// product after the other, each sum rounded. Every other order has fewer roundings in a row, or
// smaller ones.
[[nodiscard]] PatchValues multiply_patch(const Product& product, const Matrix& left,
                                         const Matrix& right, const Patch& patch);

}  // namespace autokernel::trial
