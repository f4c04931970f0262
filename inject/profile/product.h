// A matrix product as a program asks a library for it, in the words of the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "blas.h"

namespace recording {

struct Matrix {
  std::int32_t type = blas::kR32F;
  std::int64_t leading_dimension = 0;
  std::int64_t batch_stride = 0;
  std::int32_t order = blas::kColumnMajor;

  bool operator==(const Matrix&) const = default;
};

// D = alpha op(A) op(B) + beta C; op(A) is m x k, op(B) k x n.
struct Product {
  const char* call = "";
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t batch = 1;
  std::int32_t transpose_a = blas::kPlain, transpose_b = blas::kPlain;
  Matrix a, b, c, d;
  std::int32_t compute_type = blas::kCompute32F;
  std::int32_t scale_type = blas::kR32F;
  std::uint32_t epilogue = 1;
  bool pointer_array = false;
  double alpha = 1, beta = 0;  // NaN where they are not known

  bool operator==(const Product&) const = default;
};

// Room enough for any product.
inline constexpr std::size_t kMostOfProduct = 1024;

// As a JSON object on one line; the keys are those of autokernel::programs::Product.
[[nodiscard]] std::string_view json_of(const Product& product, std::span<char> room);

// The type that alpha and beta have where the program does not name one.
[[nodiscard]] std::int32_t scale_type_of(std::int32_t compute_type, std::int32_t c_type);
// A factor of that type in the memory of the host; of a complex one, the real part. NaN: unknown.
[[nodiscard]] double factor_at(const void* factor, std::int32_t scale_type);

}  // namespace recording
