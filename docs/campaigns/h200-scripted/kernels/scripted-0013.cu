// registers bm=32
// C = A x B with a small tile of sums in the registers of each thread: a value that comes from
// shared memory is used for a whole row or column of them.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 32;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;  // rows of a thread
constexpr int TN = 4;  // columns of a thread
constexpr int THREADS = BM / TM * (BN / TN);
constexpr int WIDE = 8;  // elements of 16 bytes

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / BN, M / BM}, .block = {THREADS}});

// Eight neighbours, by one access.
__device__ void load(float (&to)[WIDE], const __nv_bfloat16* from) {
  const uint4 words = *reinterpret_cast<const uint4*>(from);
  const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&words);
#pragma unroll
  for (int i = 0; i < WIDE / 2; ++i) {
    const float2 pair = __bfloat1622float2(pairs[i]);
    to[2 * i] = pair.x;
    to[2 * i + 1] = pair.y;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  __shared__ float a[BK][BM + 4];  // A's tile lies transposed: threads read down its columns
  __shared__ float b[BK][BN];
  const int row = blockIdx.y * BM;
  const int column = blockIdx.x * BN;
  const int y = threadIdx.x / (BN / TN) * TM;
  const int x = threadIdx.x % (BN / TN) * TN;

  float sums[TM][TN] = {};
  for (int k = 0; k < K; k += BK) {
    for (int i = threadIdx.x; i < BM * BK / WIDE; i += THREADS) {
      const int r = i / (BK / WIDE);
      const int c = i % (BK / WIDE) * WIDE;
      float values[WIDE];
      load(values, A + (row + r) * K + k + c);
#pragma unroll
      for (int j = 0; j < WIDE; ++j) a[c + j][r] = values[j];
    }
    for (int i = threadIdx.x; i < BK * BN / WIDE; i += THREADS) {
      const int r = i / (BN / WIDE);
      const int c = i % (BN / WIDE) * WIDE;
      float values[WIDE];
      load(values, B + (k + r) * N + column + c);
#pragma unroll
      for (int j = 0; j < WIDE; ++j) b[r][c + j] = values[j];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < BK; ++j) {
      float left[TM];
      float right[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) left[i] = a[j][y + i];
#pragma unroll
      for (int i = 0; i < TN; ++i) right[i] = b[j][x + i];
#pragma unroll
      for (int r = 0; r < TM; ++r) {
#pragma unroll
        for (int c = 0; c < TN; ++c) sums[r][c] = fmaf(left[r], right[c], sums[r][c]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < TM; ++r) {
#pragma unroll
    for (int c = 0; c < TN; c += 2) {
      *reinterpret_cast<__nv_bfloat162*>(C + (row + y + r) * N + column + x + c) =
          __floats2bfloat162_rn(sums[r][c], sums[r][c + 1]);
    }
  }
}
