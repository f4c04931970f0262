// cp_async bn=128 pad=16
// C = A x B with cp.async: the next tiles come into shared memory while these are multiplied, and
// pass through no register. Products are fmaf.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 64;
constexpr int BN = 128;
constexpr int BK = 64;
constexpr int TM = 4;      // rows of a thread
constexpr int TN = 4;      // columns of a thread
constexpr int PAD = 16;     // elements behind a row of A, against bank conflicts
constexpr int STAGES = 2;  // tiles in shared memory
constexpr int THREADS = BM / TM * (BN / TN);
constexpr int WIDE = 8;  // elements of 16 bytes

struct Stage {
  __nv_bfloat16 a[BM][BK + PAD];
  __nv_bfloat16 b[BK][BN];
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BN, M / BM},
                   .block = {THREADS},
                   .shared_bytes = STAGES * sizeof(Stage)});

__device__ void copy(__nv_bfloat16* to, const __nv_bfloat16* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  extern __shared__ __align__(128) char memory[];
  Stage* stages = reinterpret_cast<Stage*>(memory);
  const int row = blockIdx.y * BM;
  const int column = blockIdx.x * BN;
  const int y = threadIdx.x / (BN / TN) * TM;
  const int x = threadIdx.x % (BN / TN) * TN;

  const auto fetch = [&](int step) {
    if (step < K / BK) {
      Stage& stage = stages[step % STAGES];
      for (int i = threadIdx.x; i < BM * BK / WIDE; i += THREADS) {
        const int r = i / (BK / WIDE);
        const int c = i % (BK / WIDE) * WIDE;
        copy(&stage.a[r][c], A + (row + r) * K + step * BK + c);
      }
      for (int i = threadIdx.x; i < BK * BN / WIDE; i += THREADS) {
        const int r = i / (BN / WIDE);
        const int c = i % (BN / WIDE) * WIDE;
        copy(&stage.b[r][c], B + (step * BK + r) * N + column + c);
      }
    }
    asm volatile("cp.async.commit_group;");  // empty at the end, so that the count stays right
  };
  for (int step = 0; step < STAGES - 1; ++step) fetch(step);

  float sums[TM][TN] = {};
  for (int step = 0; step < K / BK; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    // The stage has arrived for all, and all are through with the one that is fetched next.
    __syncthreads();
    fetch(step + STAGES - 1);
    const Stage& stage = stages[step % STAGES];
#pragma unroll 4
    for (int j = 0; j < BK; j += 2) {
      float2 left[TM];  // of two steps of K
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        left[i] = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&stage.a[y + i][j]));
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float2 right[TN / 2];  // neighbouring columns
#pragma unroll
        for (int i = 0; i < TN / 2; ++i) {
          right[i] = __bfloat1622float2(
              *reinterpret_cast<const __nv_bfloat162*>(&stage.b[j + half][x + 2 * i]));
        }
#pragma unroll
        for (int r = 0; r < TM; ++r) {
          const float value = half == 0 ? left[r].x : left[r].y;
#pragma unroll
          for (int c = 0; c < TN / 2; ++c) {
            sums[r][2 * c] = fmaf(value, right[c].x, sums[r][2 * c]);
            sums[r][2 * c + 1] = fmaf(value, right[c].y, sums[r][2 * c + 1]);
          }
        }
      }
    }
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
