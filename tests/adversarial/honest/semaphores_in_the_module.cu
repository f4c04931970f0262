// honest: the same with semaphores in a variable of the module, which it leaves as they are: the next launch finds zeros,
// as docs/kernel-contract.md says.
// case: tests/data/split_k
// without restored_module: incorrect
#include <cuda_fp16.h>

#include <autokernel.cuh>

constexpr int PARTS = 4;
constexpr int DEPTH = K / PARTS;
constexpr int TILE = 16;
constexpr int TILES = M / TILE * (N / TILE);

struct Workspace {
  float parts[PARTS][M * N];

};
AUTOKERNEL_LAUNCH({.kernel = "multiply", .grid = {N / TILE, M / TILE, PARTS}, .block = {TILE, TILE}});
AUTOKERNEL_WORKSPACE(sizeof(Workspace));

__device__ unsigned arrived[TILES];

extern "C" __global__ void multiply(const __half* A, const __half* B, __half* C, Workspace* work) {
  __shared__ bool is_last;
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int begin = blockIdx.z * DEPTH;
  float sum = 0;
  for (int k = begin; k < begin + DEPTH; ++k) {
    sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
  }
  work->parts[blockIdx.z][row * N + col] = sum;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    is_last = atomicAdd(&arrived[blockIdx.y * (N / TILE) + blockIdx.x], 1u) == PARTS - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float total = 0;
  for (int part = 0; part < PARTS; ++part) total += __ldcg(&work->parts[part][row * N + col]);
  C[row * N + col] = __float2half(total);
}
