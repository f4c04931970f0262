// mma
// C = A x B on tensor cores by mma.sync: cp.async brings tiles through a ring of stages, ldmatrix
// reads fragments of them. kernels/examples/mma_cp_async.cu is the same with fixed shapes.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 64;
constexpr int STAGES = 4;
constexpr int WARP_M = 32;  // rows of a warp
constexpr int WARP_N = 32;  // columns of a warp
constexpr int RESIDENT = 1;  // blocks of a multiprocessor that registers must suffice for
constexpr int THREADS = BM / WARP_M * (BN / WARP_N) * 32;
// Tiles are slabs of 64 columns. Chunk c (of 16 bytes) of row r lies at place c ^ (r % 8), so that
// ldmatrix, which reads a chunk of eight rows at a time, finds them in different banks.
constexpr int CHUNK = 8;

using bf16 = __nv_bfloat16;
struct Stage {
  bf16 a[BM * 64];
  bf16 b[BN / 64][BK * 64];
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BN, M / BM},
                   .block = {THREADS},
                   .shared_bytes = STAGES * sizeof(Stage)});

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Element (row, column) of a slab; the column begins a chunk.
template <class Slab>
__device__ Slab* at(Slab* slab, int row, int column) {
  return slab + row * 64 + (column / CHUNK ^ row % 8) * CHUNK;
}

// A slab of so many rows, which lie `pitch` elements apart.
template <int ROWS>
__device__ void fetch(bf16* slab, const bf16* from, int pitch) {
#pragma unroll
  for (int i = threadIdx.x; i < ROWS * 8; i += THREADS) {
    const int row = i / 8;
    const int column = i % 8 * CHUNK;
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(at(slab, row, column))),
        "l"(from + row * pitch + column)
        : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul(const bf16* A, const bf16* B, bf16* C) {
  extern __shared__ __align__(128) char memory[];
  Stage* stages = reinterpret_cast<Stage*>(memory);
  const int row = blockIdx.y * BM;
  const int column = blockIdx.x * BN;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / (BN / WARP_N) * WARP_M;
  const int warp_column = warp % (BN / WARP_N) * WARP_N;

  const auto fetch_stage = [&](int step) {
    if (step < K / BK) {
      Stage& stage = stages[step % STAGES];
      fetch<BM>(stage.a, A + row * K + step * BK, K);
#pragma unroll
      for (int slab = 0; slab < BN / 64; ++slab) {
        fetch<BK>(stage.b[slab], B + step * BK * N + column + slab * 64, N);
      }
    }
    asm volatile("cp.async.commit_group;");  // empty at the end, so that the count stays right
  };
  for (int step = 0; step < STAGES - 1; ++step) fetch_stage(step);

  float d[WARP_M / 16][WARP_N / 8][4] = {};  // 16 rows, 8 columns, a thread's part of them
  for (int step = 0; step < K / BK; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    // The stage has arrived for all, and all are through with the one that is fetched next.
    __syncthreads();
    fetch_stage(step + STAGES - 1);
    const Stage& stage = stages[step % STAGES];
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      unsigned a[WARP_M / 16][4];
      unsigned b[WARP_N / 8][2];
#pragma unroll
      for (int i = 0; i < WARP_M / 16; ++i) {
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
            : "r"(shared_address(at(stage.a, warp_row + i * 16 + lane % 16, k + lane / 16 * 8))));
      }
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j += 2) {
        const int x = warp_column + j * 8 + lane / 16 * 8;
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
            : "r"(shared_address(at(stage.b[x / 64], k + lane % 16, x % 64))));
      }
#pragma unroll
      for (int i = 0; i < WARP_M / 16; ++i) {
#pragma unroll
        for (int j = 0; j < WARP_N / 8; ++j) {
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
              "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
              : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < WARP_M / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WARP_N / 8; ++j) {
      bf16* to = C + (row + warp_row + i * 16 + lane / 4) * N + column + warp_column + j * 8 +
                 lane % 4 * 2;
      *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(d[i][j][0], d[i][j][1]);
      *reinterpret_cast<__nv_bfloat162*>(to + 8 * N) =
          __floats2bfloat162_rn(d[i][j][2], d[i][j][3]);
    }
  }
}
