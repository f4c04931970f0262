// How cuBLAS and cuBLASLt are told of matrices on a device.
#pragma once

#include "autokernel/cases/case.h"
#include "autokernel/driver/memory.h"
#include "trial/blas/cublas_api.h"

namespace autokernel::trial::cublas {

[[nodiscard]] inline DataType type_of(cases::DType dtype) {
  switch (dtype) {
    case cases::DType::f16:
      return kF16;
    case cases::DType::bf16:
      return kBf16;
    default:  // f32: no product of a library has another (cases/reference.cpp)
      return kF32;
  }
}

[[nodiscard]] inline void* pointer(driver::Address address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): they take device addresses as pointers.
  return reinterpret_cast<void*>(address);
}

}  // namespace autokernel::trial::cublas
