// libcublas.so.13 for product_model.cpp: products of fp32, computed by a kernel of its own.
#include "e2e/programs/sample_cublas.h"

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "e2e/programs/driver_calls.h"

namespace {

using autokernel::test::BlasHandle;
using autokernel::test::DriverCalls;

// Loaded once, in the context of the first call.
CUfunction kernel(const DriverCalls& driver) {
  static const CUfunction loaded = [&] {
    std::ifstream in(AUTOKERNEL_PRODUCT_KERNEL, std::ios::binary);
    const std::string code{std::istreambuf_iterator<char>(in), {}};
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    driver.check(driver.load(&module, code.c_str()), "load a kernel");
    driver.check(driver.function(&function, module, "product"), "find a kernel");
    return function;
  }();
  return loaded;
}

}  // namespace

std::int32_t cublasGemmEx(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                          const void* /*alpha*/, const void* a, int /*a_type*/, int /*lda*/,
                          const void* b, int /*b_type*/, int /*ldb*/, const void* /*beta*/, void* c,
                          int /*c_type*/, int /*ldc*/, int /*compute_type*/, int /*algorithm*/) {
  static const DriverCalls driver;
  std::array<void*, 8> parameters{&a, &b, &c, &m, &n, &k, &transpose_a, &transpose_b};
  constexpr unsigned kThreads = 32;
  const auto blocks = (static_cast<unsigned>(m) + kThreads - 1) / kThreads;
  const CUresult result =
      driver.launch(kernel(driver), blocks, static_cast<unsigned>(n), 1, kThreads, 1, 1, 0,
                    static_cast<BlasHandle*>(handle)->stream, parameters.data(), nullptr);
  constexpr std::int32_t kExecutionFailed = 13;
  return result == CUDA_SUCCESS ? 0 : kExecutionFailed;
}

std::int32_t cublasGetPointerMode_v2(const void* /*handle*/, std::int32_t* mode) {
  *mode = 0;  // on the host
  return 0;
}
std::int32_t cublasGetMathMode(const void* /*handle*/, std::int32_t* mode) {
  *mode = 0;
  return 0;
}
std::int32_t cublasGetStream_v2(const void* handle, void** stream) {
  *stream = static_cast<const BlasHandle*>(handle)->stream;
  return 0;
}
