// What is called of cuBLAS, declared here: its header comes with a wheel of 400 MB, or a toolkit,
// and neither is needed to build. The values are part of cuBLAS's binary interface; a test compares
// them with the header where there is one.
#pragma once

#include <cuda.h>

namespace autokernel::trial::cublas {

using Handle = struct HandleStruct*;
using Status = int;
using Math = int;
using Operation = int;
using DataType = int;
using ComputeType = int;
using Algorithm = int;

inline constexpr Status kSuccess = 0;                // CUBLAS_STATUS_SUCCESS
inline constexpr Operation kNotTransposed = 0;       // CUBLAS_OP_N
inline constexpr ComputeType kComputeInF32 = 68;     // CUBLAS_COMPUTE_32F
inline constexpr Algorithm kDefaultAlgorithm = -1;   // CUBLAS_GEMM_DEFAULT
inline constexpr Math kDefaultMath = 0;              // CUBLAS_DEFAULT_MATH
inline constexpr Math kNoReducedPrecisionSums = 16;  // ..._DISALLOW_REDUCED_PRECISION_REDUCTION
inline constexpr DataType kF32 = 0;                  // CUDA_R_32F
inline constexpr DataType kF16 = 2;                  // CUDA_R_16F
inline constexpr DataType kBf16 = 14;                // CUDA_R_16BF

using Create = Status(Handle*);
using Destroy = Status(Handle);
using GetVersion = Status(Handle, int*);
using SetStream = Status(Handle, CUstream);
using SetMathMode = Status(Handle, Math);
using GemmEx = Status(Handle, Operation, Operation, int, int, int, const void*, const void*,
                      DataType, int, const void*, DataType, int, const void*, void*, DataType, int,
                      ComputeType, Algorithm);
using GetStatusString = const char*(Status);

}  // namespace autokernel::trial::cublas
