// depth64 bk=128
// C = A x B with tiles of bf16 in shared memory, 64 deep: half the bytes of tiles of float, and a
// quarter of the barriers of tiles that are 16 deep. Products are fmaf.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 128;
constexpr int TM = 4;   // rows of a thread
constexpr int TN = 4;   // columns of a thread
constexpr int PAD = 8;  // elements behind a row of A, against bank conflicts
constexpr int THREADS = BM / TM * (BN / TN);
constexpr int WIDE = 8;  // elements of 16 bytes

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / BN, M / BM}, .block = {THREADS}});

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  __shared__ __align__(16) __nv_bfloat16 a[BM][BK + PAD];
  __shared__ __align__(16) __nv_bfloat16 b[BK][BN];
  const int row = blockIdx.y * BM;
  const int column = blockIdx.x * BN;
  const int y = threadIdx.x / (BN / TN) * TM;
  const int x = threadIdx.x % (BN / TN) * TN;

  float sums[TM][TN] = {};
  for (int k = 0; k < K; k += BK) {
    for (int i = threadIdx.x; i < BM * BK / WIDE; i += THREADS) {
      const int r = i / (BK / WIDE);
      const int c = i % (BK / WIDE) * WIDE;
      *reinterpret_cast<uint4*>(&a[r][c]) =
          *reinterpret_cast<const uint4*>(A + (row + r) * K + k + c);
    }
    for (int i = threadIdx.x; i < BK * BN / WIDE; i += THREADS) {
      const int r = i / (BN / WIDE);
      const int c = i % (BN / WIDE) * WIDE;
      *reinterpret_cast<uint4*>(&b[r][c]) =
          *reinterpret_cast<const uint4*>(B + (k + r) * N + column + c);
    }
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < BK; j += 2) {
      float2 left[TM];  // of both steps
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        left[i] = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&a[y + i][j]));
      }
#pragma unroll
      for (int step = 0; step < 2; ++step) {
        float2 right[TN / 2];  // neighbouring columns
#pragma unroll
        for (int i = 0; i < TN / 2; ++i) {
          right[i] = __bfloat1622float2(
              *reinterpret_cast<const __nv_bfloat162*>(&b[j + step][x + 2 * i]));
        }
#pragma unroll
        for (int r = 0; r < TM; ++r) {
          const float value = step == 0 ? left[r].x : left[r].y;
#pragma unroll
          for (int c = 0; c < TN / 2; ++c) {
            sums[r][2 * c] = fmaf(value, right[c].x, sums[r][2 * c]);
            sums[r][2 * c + 1] = fmaf(value, right[c].y, sums[r][2 * c + 1]);
          }
        }
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
