// As much of cuBLAS as product_model.cpp calls, with a handle of our own.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace autokernel::test {

struct BlasHandle {
  CUstream stream = nullptr;
};

}  // namespace autokernel::test

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's
extern "C" {
std::int32_t cublasGemmEx(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                          const void* alpha, const void* a, int a_type, int lda, const void* b,
                          int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                          int compute_type, int algorithm);
std::int32_t cublasGetPointerMode_v2(const void* handle, std::int32_t* mode);
std::int32_t cublasGetMathMode(const void* handle, std::int32_t* mode);
std::int32_t cublasGetStream_v2(const void* handle, void** stream);
}
// NOLINTEND(readability-identifier-naming)
