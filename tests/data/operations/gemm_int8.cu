// Tiles of 32 x 32 by way of shared memory, four bytes in a word, multiplied and added by __dp4a.
// Words are read whole where K is a multiple of four, and put together from bytes where it is not.
#include <autokernel.cuh>

constexpr int WIDE = 32;
constexpr int HIGH = M < 32 ? M : 32;
constexpr int DEEP = 8;  // words
constexpr int ROWS = 8;  // of threads, in a block
constexpr int EACH = (HIGH + ROWS - 1) / ROWS;

AUTOKERNEL_LAUNCH({.kernel = "gemm_int8",
                   .grid = {(N + WIDE - 1) / WIDE, (M + HIGH - 1) / HIGH},
                   .block = {WIDE, ROWS}});

// Four elements of a row of K from k on; zeros beyond its end.
__device__ int word(const signed char* row, int k) {
  if (k >= K) return 0;
  if constexpr (K % 4 == 0) return *reinterpret_cast<const int*>(row + k);
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (k + i < K) all |= static_cast<unsigned>(static_cast<unsigned char>(row[k + i])) << (8 * i);
  }
  return static_cast<int>(all);
}

extern "C" __global__ void gemm_int8(const signed char* A, const signed char* B, int* C) {
  __shared__ int a[HIGH][DEEP];
  __shared__ int b[WIDE][DEEP + 1];
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  const long long left = static_cast<long long>(blockIdx.x) * WIDE;
  const int thread = threadIdx.y * WIDE + threadIdx.x;
  int sums[EACH] = {};
  for (int begin = 0; begin < K; begin += 4 * DEEP) {
    for (int i = thread; i < HIGH * DEEP; i += WIDE * ROWS) {
      const long long row = top + i / DEEP;
      a[i / DEEP][i % DEEP] = row < M ? word(A + row * K, begin + i % DEEP * 4) : 0;
    }
    for (int i = thread; i < WIDE * DEEP; i += WIDE * ROWS) {
      const long long col = left + i / DEEP;
      b[i / DEEP][i % DEEP] = col < N ? word(B + col * K, begin + i % DEEP * 4) : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
      const int row = i * ROWS + threadIdx.y;
      if (row >= HIGH) continue;
#pragma unroll
      for (int k = 0; k < DEEP; ++k) sums[i] = __dp4a(a[row][k], b[threadIdx.x][k], sums[i]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int high = i * ROWS + threadIdx.y;
    const long long row = top + high;
    const long long col = left + threadIdx.x;
    if (high < HIGH && row < M && col < N) C[row * N + col] = sums[i];
  }
}
