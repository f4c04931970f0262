// What we use of cuBLAS and cuBLASLt. Declared here, as CUPTI is in cupti.h: the numbers are those
// of cublas_api.h, cublasLt.h and library_types.h of CUDA 11.8 to 13.0, of which tests/inject
// compares what it finds. On this platform, all enumerations travel as int, and all pointers alike.
#pragma once

#include <cstddef>
#include <cstdint>

namespace recording::blas {

using Status = std::int32_t;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotInitialized = 1;

// cudaDataType
enum Type : std::int32_t {
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kR8I = 3,
  kC32F = 4,
  kC64F = 5,
  kR32I = 10,
  kR16BF = 14,
};

// cublasComputeType_t
enum Compute : std::int32_t {
  kCompute16F = 64,
  kCompute16FPedantic = 65,
  kCompute32F = 68,
  kCompute64F = 70,
  kCompute64FPedantic = 71,
  kCompute32I = 72,
  kCompute32IPedantic = 73,
  kCompute32FFastTf32 = 77,
};

// cublasOperation_t
enum Operation : std::int32_t { kPlain = 0, kTransposed = 1, kConjugated = 2 };

// cublasPointerMode_t and cublasLtPointerMode_t
enum PointerMode : std::int32_t {
  kHost = 0,
  kDevice = 1,
  kDeviceVector = 2,
  kDeviceVectorBetaZero = 3,
  kDeviceVectorBetaHost = 4,
};

// cublasMath_t: of the lower bits, those that let single precision go through TF32.
inline constexpr std::int32_t kMathModeMask = 0xF;
inline constexpr std::int32_t kMathTf32 = 3;

// cublasLtMatmulDescAttributes_t
enum MatmulAttribute : std::int32_t {
  kComputeType = 0,
  kScaleType = 1,
  kPointerMode = 2,
  kTransA = 3,
  kTransB = 4,
  kEpilogue = 7,
};

// cublasLtMatrixLayoutAttribute_t
enum LayoutAttribute : std::int32_t {
  kType = 0,
  kOrder = 1,
  kRows = 2,
  kColumns = 3,
  kLeadingDimension = 4,
  kBatchCount = 5,
  kBatchStride = 6,
  kBatchMode = 8,  // since 13
};

// cublasLtOrder_t
enum Order : std::int32_t { kColumnMajor = 0, kRowMajor = 1 };

// cublasLtMatmulDescGetAttribute, cublasLtMatrixLayoutGetAttribute
using GetAttribute = Status (*)(const void* object, std::int32_t attribute, void* value,
                                std::size_t size, std::size_t* written);
// cublasGetPointerMode_v2, cublasGetMathMode
using GetMode = Status (*)(const void* handle, std::int32_t* mode);
// cublasGetStream_v2
using GetStream = Status (*)(const void* handle, void** stream);

}  // namespace recording::blas
