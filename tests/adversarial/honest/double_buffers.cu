// honest: while one pair of tiles is multiplied the next is loaded into registers, then stored into the other buffer; tiles
// beyond 48 KiB of shared memory that is asked for with the launch.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 64;
constexpr int DEPTH = 64;
constexpr int THREADS = 256;
struct Tiles {
  float a[2][DEPTH][TILE];  // transposed
  float b[2][DEPTH][TILE];
};
AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / TILE, M / TILE},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Tiles)});

extern __shared__ __align__(16) unsigned char memory[];

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  Tiles& tiles = *reinterpret_cast<Tiles*>(memory);
  constexpr int EACH = TILE * DEPTH / THREADS;
  const int x = threadIdx.x % 16;
  const int y = threadIdx.x / 16;
  float next_a[EACH];
  float next_b[EACH];
  float sums[4][4] = {};
  const auto load = [&](int start) {
    for (int i = 0; i < EACH; ++i) {
      const int at = i * THREADS + threadIdx.x;
      next_a[i] = __bfloat162float(A[(blockIdx.y * TILE + at / DEPTH) * K + start + at % DEPTH]);
      next_b[i] = __bfloat162float(B[(start + at / TILE) * N + blockIdx.x * TILE + at % TILE]);
    }
  };
  const auto store = [&](int buffer) {
    for (int i = 0; i < EACH; ++i) {
      const int at = i * THREADS + threadIdx.x;
      tiles.a[buffer][at % DEPTH][at / DEPTH] = next_a[i];
      tiles.b[buffer][at / TILE][at % TILE] = next_b[i];
    }
  };
  load(0);
  store(0);
  __syncthreads();
  for (int start = 0; start < K; start += DEPTH) {
    const int buffer = start / DEPTH % 2;
    if (start + DEPTH < K) load(start + DEPTH);
    for (int k = 0; k < DEPTH; ++k) {
      const float4 a = *reinterpret_cast<const float4*>(&tiles.a[buffer][k][4 * y]);
      const float4 b = *reinterpret_cast<const float4*>(&tiles.b[buffer][k][4 * x]);
      const float rows[] = {a.x, a.y, a.z, a.w};
      const float cols[] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += rows[i] * cols[j];
      }
    }
    if (start + DEPTH < K) store(1 - buffer);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      C[(blockIdx.y * TILE + 4 * y + i) * N + blockIdx.x * TILE + 4 * x + j] =
          __float2bfloat16(sums[i][j]);
    }
  }
}
