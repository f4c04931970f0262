// libcublas.so.13 for tests. Its products launch a kernel each; cublasGemmEx has cuBLASLt launch
// it, as NVIDIA's does for some.
#include <cstdint>

#include "fakes/fake_cublas_lt.h"
#include "fakes/fake_cupti.h"

#define FAKE extern "C" [[gnu::visibility("default")]]

using autokernel::test::FakeLtObject;

// The handle is the address of the pointer mode.
FAKE std::int32_t cublasGetPointerMode_v2(const void* handle, std::int32_t* mode) {
  *mode = *static_cast<const std::int32_t*>(handle);
  return 0;
}
FAKE std::int32_t cublasGetMathMode(const void* /*handle*/, std::int32_t* mode) {
  *mode = 3;  // CUBLAS_TF32_TENSOR_OP_MATH
  return 0;
}
FAKE std::int32_t cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int,
                               const void*, int, int, const void*, void*, int, int, int, int) {
  const FakeLtObject empty;
  return cublasLtMatmul(nullptr, &empty, nullptr, nullptr, &empty, nullptr, &empty, nullptr,
                        nullptr, &empty, nullptr, &empty, nullptr, nullptr, 0, nullptr);
}
FAKE std::int32_t cublasSgemm_v2(void*, int, int, int, int, int, const void*, const void*, int,
                                 const void*, int, const void*, void*, int) {
  autokernel::test::call_driver({.kernel = "sgemm_kernel"});
  return 0;
}
FAKE std::int32_t cublasGemmStridedBatchedEx_64(void*, int, int, std::int64_t, std::int64_t,
                                                std::int64_t, const void*, const void*, int,
                                                std::int64_t, long long, const void*, int,
                                                std::int64_t, long long, const void*, void*, int,
                                                std::int64_t, long long, std::int64_t batch, int,
                                                int) {
  if (batch != std::int64_t{1} << 33U) return 7;  // an argument has been lost on the way
  autokernel::test::call_driver({.kernel = "batched_kernel"});
  return 0;
}
FAKE std::int32_t cublasHgemmBatched(void*, int, int, int, int, int, const void*, const void*, int,
                                     const void*, int, const void*, void*, int, int batch) {
  if (batch != 5) return 7;
  autokernel::test::call_driver({.kernel = "hgemm_kernel"});
  return 0;
}
