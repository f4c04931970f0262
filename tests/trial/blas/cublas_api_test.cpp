// Our declarations of cuBLAS are those of its header. Nothing to compare with where only the wheels
// without it are there.
#include "trial/blas/cublas_api.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "trial/blas/cublaslt_api.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define AUTOKERNEL_HAS_CUBLASLT_HEADER 1
#else
#define AUTOKERNEL_HAS_CUBLASLT_HEADER 0
#endif

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define AUTOKERNEL_HAS_CUBLAS_HEADER 1
#else
#define AUTOKERNEL_HAS_CUBLAS_HEADER 0
#endif

namespace autokernel::trial {
namespace {

TEST(CublasApi, IsThatOfItsHeader) {
#if AUTOKERNEL_HAS_CUBLAS_HEADER
  EXPECT_EQ(cublas::kSuccess, static_cast<int>(CUBLAS_STATUS_SUCCESS));
  EXPECT_EQ(cublas::kNotTransposed, static_cast<int>(CUBLAS_OP_N));
  EXPECT_EQ(cublas::kComputeInF32, static_cast<int>(CUBLAS_COMPUTE_32F));
  EXPECT_EQ(cublas::kDefaultAlgorithm, static_cast<int>(CUBLAS_GEMM_DEFAULT));
  EXPECT_EQ(cublas::kDefaultMath, static_cast<int>(CUBLAS_DEFAULT_MATH));
  EXPECT_EQ(cublas::kNoReducedPrecisionSums,
            static_cast<int>(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  EXPECT_EQ(cublas::kF32, static_cast<int>(CUDA_R_32F));
  EXPECT_EQ(cublas::kF16, static_cast<int>(CUDA_R_16F));
  EXPECT_EQ(cublas::kBf16, static_cast<int>(CUDA_R_16BF));
  // Enumerations are passed as the int they are.
  EXPECT_EQ(sizeof(cublasStatus_t), sizeof(cublas::Status));
  EXPECT_EQ(sizeof(cublasComputeType_t), sizeof(cublas::ComputeType));
  EXPECT_EQ(sizeof(cudaDataType), sizeof(cublas::DataType));
#else
  GTEST_SKIP() << "there is no cublas_v2.h";
#endif
}

TEST(CublasLtApi, IsThatOfItsHeader) {
#if AUTOKERNEL_HAS_CUBLASLT_HEADER
  EXPECT_EQ(cublaslt::kMostWorkspaceBytes,
            static_cast<int>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES));
  EXPECT_EQ(sizeof(cublaslt::Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(cublaslt::Heuristic), sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_EQ(offsetof(cublaslt::Heuristic, workspace_bytes),
            offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
  EXPECT_EQ(offsetof(cublaslt::Heuristic, state), offsetof(cublasLtMatmulHeuristicResult_t, state));
#else
  GTEST_SKIP() << "there is no cublasLt.h";
#endif
}

}  // namespace
}  // namespace autokernel::trial
