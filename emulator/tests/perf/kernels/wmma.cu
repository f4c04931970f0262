// C = A x B on tensor cores: one warp computes 16 x 16 elements of C, with sums in float.
// launch: grid 64 64 block 32 1
#include <cuda_bf16.h>
#include <mma.h>

constexpr int N = 1024;
constexpr int K = 1024;
constexpr int TILE = 16;

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  using namespace nvcuda;
  __shared__ float sums[TILE * TILE];
  wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __nv_bfloat16, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> c;
  wmma::fill_fragment(c, 0.0f);
  const int row = blockIdx.y * TILE;
  const int col = blockIdx.x * TILE;
  for (int k = 0; k < K; k += TILE) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + col, N);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(sums, c, TILE, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < TILE * TILE; i += 32) {
    C[(row + i / TILE) * N + col + i % TILE] = __float2bfloat16(sums[i]);
  }
}
