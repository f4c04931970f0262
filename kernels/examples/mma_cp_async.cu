// C = A x B on tensor cores as from Ampere on: cp.async brings tiles through a ring of stages while
// warps multiply earlier ones by mma.sync, from fragments that ldmatrix reads.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 64;
constexpr int STAGES = 4;
constexpr int THREADS = 128;  // four warps, each with 32 x 32 of the tile
// Rows are 128 bytes, eight chunks of 16. Chunk c of row r lies at place c ^ (r % 8), so that
// ldmatrix, which reads a chunk of eight rows at a time, finds them in different banks.
constexpr int CHUNK = 8;

using bf16 = __nv_bfloat16;
struct Stage {
  bf16 a[BM * BK];
  bf16 b[BK * BN];
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BN, M / BM},
                   .block = {THREADS},
                   .shared_bytes = STAGES * sizeof(Stage)});

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Element (row, column) of a tile with 64 columns; the column begins a chunk.
template <class Tile>
__device__ Tile* at(Tile* tile, int row, int column) {
  return tile + row * 64 + (column / CHUNK ^ row % 8) * CHUNK;
}

// A tile of 64 x 64 whose rows lie `pitch` elements apart.
__device__ void fetch(bf16* tile, const bf16* from, int pitch) {
  for (int i = threadIdx.x; i < 64 * 64 / CHUNK; i += THREADS) {
    const int row = i / 8;
    const int column = i % 8 * CHUNK;
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(at(tile, row, column))),
        "l"(from + row * pitch + column)
        : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const bf16* A, const bf16* B, bf16* C) {
  extern __shared__ __align__(128) char memory[];
  Stage* stages = reinterpret_cast<Stage*>(memory);
  const int row = blockIdx.y * BM;
  const int column = blockIdx.x * BN;
  const int lane = threadIdx.x % 32;
  const int warp_row = threadIdx.x / 64 * 32;
  const int warp_column = threadIdx.x / 32 % 2 * 32;

  const auto fetch_stage = [&](int step) {
    if (step < K / BK) {
      fetch(stages[step % STAGES].a, A + row * K + step * BK, K);
      fetch(stages[step % STAGES].b, B + step * BK * N + column, N);
    }
    asm volatile("cp.async.commit_group;");  // empty at the end, so that the count stays right
  };
  for (int step = 0; step < STAGES - 1; ++step) fetch_stage(step);

  float d[2][4][4] = {};  // 16 rows, 8 columns, and what mma.m16n8k16 gives a thread of them
  for (int step = 0; step < K / BK; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    // The stage has arrived for all, and all are through with the one that is fetched next.
    __syncthreads();
    fetch_stage(step + STAGES - 1);
    const Stage& stage = stages[step % STAGES];
    for (int k = 0; k < BK; k += 16) {
      unsigned a[2][4];
      unsigned b[4][2];
      for (int i = 0; i < 2; ++i) {
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
            : "r"(shared_address(at(stage.a, warp_row + i * 16 + lane % 16, k + lane / 16 * 8))));
      }
      for (int j = 0; j < 4; j += 2) {
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
            : "r"(shared_address(at(stage.b, k + lane % 16, warp_column + j * 8 + lane / 16 * 8))));
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
              "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
              : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
      }
    }
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      bf16* to = C + (row + warp_row + i * 16 + lane / 4) * N + column + warp_column + j * 8 +
                 lane % 4 * 2;
      *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(d[i][j][0], d[i][j][1]);
      *reinterpret_cast<__nv_bfloat162*>(to + 8 * N) =
          __floats2bfloat162_rn(d[i][j][2], d[i][j][3]);
    }
  }
}
