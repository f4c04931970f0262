// row 7: each half of the sum is rounded to f16 before the two are added: the workspace is half as large, and no tolerance
// that allows for honest sums finds it.
// must be: incorrect, exact inputs
// case: tests/data/split_k
// without exact_inputs, misrounding: correct
#include <cuda_fp16.h>

#include <autokernel.cuh>

constexpr int PARTS = 2;
constexpr int DEPTH = K / PARTS;
constexpr int TILE = 16;
constexpr int THREADS = 256;
static_assert(K % PARTS == 0 && M % TILE == 0 && N % TILE == 0 && M * N % THREADS == 0);

AUTOKERNEL_LAUNCH({.kernel = "multiply",
                   .grid = {N / TILE, M / TILE, PARTS},
                   .block = {TILE, TILE}},
                  {.kernel = "add_up", .grid = {M * N / THREADS}, .block = {THREADS}});
AUTOKERNEL_WORKSPACE(sizeof(__half) * PARTS * M * N);

extern "C" __global__ void multiply(const __half* A, const __half* B, __half*, __half* parts) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int first = blockIdx.z * DEPTH;
  float sum = 0;
  for (int k = first; k < first + DEPTH; ++k) {
    sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
  }
  parts[(blockIdx.z * M + row) * N + col] = __float2half(sum);
}

extern "C" __global__ void add_up(const __half*, const __half*, __half* C, const __half* parts) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __half sum = __float2half(0);
  for (int part = 0; part < PARTS; ++part) sum = __hadd(sum, parts[part * M * N + i]);
  C[i] = sum;
}
