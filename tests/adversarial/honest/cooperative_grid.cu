// honest: as many blocks as an H100 has multiprocessors meet between adding up and rounding.
// size: check
#include <cooperative_groups.h>
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BLOCKS = 132;
constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {BLOCKS}, .block = {THREADS}, .cooperative = true});
AUTOKERNEL_WORKSPACE(sizeof(float) * M * N);

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                                  float* sums) {
  const int first = blockIdx.x * THREADS + threadIdx.x;
  for (int i = first; i < M * N; i += BLOCKS * THREADS) {
    float sum = 0;
    for (int k = 0; k < K; ++k)
      sum += __bfloat162float(A[i / N * K + k]) * __bfloat162float(B[k * N + i % N]);
    sums[i] = sum;
  }
  cooperative_groups::this_grid().sync();
  // Each rounds what another block has summed up.
  for (int i = M * N - 1 - first; i >= 0; i -= BLOCKS * THREADS) C[i] = __float2bfloat16(sums[i]);
}
