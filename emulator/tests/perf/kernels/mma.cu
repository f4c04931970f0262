// C = A x B as a serious kernel for Ampere is written: tiles come by asynchronous copies while the
// ones before are multiplied on tensor cores, from fragments that ldmatrix loads.
// launch: grid 16 16 block 128 1
#include <cuda_bf16.h>

constexpr int N = 1024;
constexpr int K = 1024;
constexpr int TILE = 64;   // of C, for each block; each of its four warps has a quarter
constexpr int DEPTH = 32;  // of K, for each step
constexpr int STAGES = 2;
constexpr int PAD = 8;  // rows of a tile begin in other banks
constexpr int THREADS = 128;

using bf16 = __nv_bfloat16;

__shared__ __align__(16) bf16 tile_a[STAGES][TILE][DEPTH + PAD];
__shared__ __align__(16) bf16 tile_b[STAGES][DEPTH][TILE + PAD];

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void copy16(const void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ void fetch(const bf16* A, const bf16* B, int step) {
  const int stage = step % STAGES;
  for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += THREADS) {
    const int row = i / (DEPTH / 8);
    const int col = i % (DEPTH / 8) * 8;
    copy16(&tile_a[stage][row][col], A + (blockIdx.y * TILE + row) * K + step * DEPTH + col);
  }
  for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += THREADS) {
    const int row = i / (TILE / 8);
    const int col = i % (TILE / 8) * 8;
    copy16(&tile_b[stage][row][col], B + (step * DEPTH + row) * N + blockIdx.x * TILE + col);
  }
}

extern "C" __global__ void matmul(const bf16* A, const bf16* B, bf16* C) {
  const int lane = threadIdx.x % 32;
  const int warp_row = threadIdx.x / 64 * 32;
  const int warp_col = threadIdx.x / 32 % 2 * 32;
  float sums[2][4][4] = {};

  fetch(A, B, 0);
  asm volatile("cp.async.commit_group;");
  for (int step = 0; step < K / DEPTH; ++step) {
    if (step + 1 < K / DEPTH) fetch(A, B, step + 1);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    const int stage = step % STAGES;
    for (int k = 0; k < DEPTH; k += 16) {
      unsigned a[2][4];
      unsigned b[4][2];
      for (int i = 0; i < 2; ++i) {
        const bf16* from = &tile_a[stage][warp_row + i * 16 + lane % 16][k + lane / 16 * 8];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                     : "r"(shared_address(from)));
      }
      for (int j = 0; j < 4; ++j) {
        const bf16* from = &tile_b[stage][k + lane % 16][warp_col + j * 8];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(b[j][0]), "=r"(b[j][1])
                     : "r"(shared_address(from)));
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          float* c = sums[i][j];
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
              "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
              : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]),
                "r"(b[j][1]));
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = blockIdx.y * TILE + warp_row + i * 16 + lane / 4;
      const int col = blockIdx.x * TILE + warp_col + j * 8 + lane % 4 * 2;
      for (int half = 0; half < 2; ++half) {
        C[(row + half * 8) * N + col] = __float2bfloat16(sums[i][j][half * 2]);
        C[(row + half * 8) * N + col + 1] = __float2bfloat16(sums[i][j][half * 2 + 1]);
      }
    }
  }
}
