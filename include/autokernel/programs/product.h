// A matrix product as a program asks a BLAS library for it: what the launch of its kernel no longer
// tells.
#pragma once

#include <cstdint>
#include <string>

namespace autokernel::programs {

// D = alpha op(A) op(B) + beta C, in column-major order as cuBLAS has it: op(A) is m x k, op(B)
// k x n, D m x n. A type is named as cuda's library_types.h does, without its prefix: "R_16BF".
struct Product {
  std::string call;  // "cublasLtMatmul", "cublasGemmEx", ...
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  std::string transposes = "NN";  // of A and B: N, T or C each
  std::string a_type, b_type, c_type, d_type;
  std::string compute_type;  // "32F"
  std::string scale_type;
  // Elements from one column (of a row-major matrix: row) to the next, and from one matrix of a
  // batch to the next.
  std::int64_t lda = 0, ldb = 0, ldc = 0, ldd = 0;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0, stride_d = 0;
  std::string epilogue;        // "DEFAULT", "BIAS", "RELU_BIAS", ...
  std::string order = "CCCC";  // of A, B, C and D: C column-major, R row-major, ? another one
  bool pointer_array = false;  // each matrix of a batch has an address of its own
  double alpha = 1, beta = 0;  // NaN where they lie in device memory

  // Two per product and sum.
  [[nodiscard]] double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(batch);
  }

  friend bool operator==(const Product&, const Product&) = default;
};

}  // namespace autokernel::programs
