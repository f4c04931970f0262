// A warp for each element of C: lanes go along K, four values at once where K is a multiple of
// four, and shuffles add them up.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int WIDTH = K % 4 == 0 ? 4 : 1;

AUTOKERNEL_LAUNCH({.kernel = "gemm_fp8",
                   .grid = {(N + WARPS - 1) / WARPS, M},
                   .block = {32, WARPS}});

struct alignas(WIDTH) Piece {
  __nv_fp8_storage_t values[WIDTH];
};

__device__ float value(__nv_fp8_storage_t stored) {
  return __half2float(__nv_cvt_fp8_to_halfraw(stored, __NV_E4M3));
}

extern "C" __global__ void gemm_fp8(const Piece* A, const Piece* B, const float* scale_a,
                                    const float* scale_b, __nv_bfloat16* C) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * WARPS + threadIdx.y;
  if (col >= N) return;
  A += static_cast<long long>(row) * (K / WIDTH);
  B += static_cast<long long>(col) * (K / WIDTH);
  float sum = 0;
  for (int i = threadIdx.x; i < K / WIDTH; i += 32) {
    const Piece a = A[i];
    const Piece b = B[i];
#pragma unroll
    for (int j = 0; j < WIDTH; ++j) sum = fmaf(value(a.values[j]), value(b.values[j]), sum);
  }
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
  if (threadIdx.x == 0)
    C[static_cast<long long>(row) * N + col] = __float2bfloat16(sum * scale_a[row] * scale_b[col]);
}
