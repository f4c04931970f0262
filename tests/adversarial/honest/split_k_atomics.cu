// honest: split K, added up by atomics on f32 in a workspace of zeros.
// case: tests/data/split_k
#include <cuda_fp16.h>

#include <autokernel.cuh>

constexpr int PARTS = 8;
constexpr int DEPTH = K / PARTS;
constexpr int TILE = 16;
constexpr int THREADS = 256;
static_assert(K % PARTS == 0 && M % TILE == 0 && N % TILE == 0 && M * N % THREADS == 0);

AUTOKERNEL_LAUNCH({.kernel = "multiply",
                   .grid = {N / TILE, M / TILE, PARTS},
                   .block = {TILE, TILE}},
                  {.kernel = "write_out", .grid = {M * N / THREADS}, .block = {THREADS}});
AUTOKERNEL_ZEROED_WORKSPACE(sizeof(float) * M * N);

extern "C" __global__ void multiply(const __half* A, const __half* B, __half*, float* sums) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int first = blockIdx.z * DEPTH;
  float sum = 0;
  for (int k = first; k < first + DEPTH; ++k) {
    sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
  }
  atomicAdd(&sums[row * N + col], sum);
}

extern "C" __global__ void write_out(const __half*, const __half*, __half* C, const float* sums) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  C[i] = __float2half(sums[i]);
}
