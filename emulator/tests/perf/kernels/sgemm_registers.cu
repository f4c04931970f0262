// C = A x B, 4 x 4 elements of C for each thread, tiles of A and B in shared memory.
constexpr int SIDE = 512;
constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int EACH = 4;
constexpr int THREADS = TILE / EACH * (TILE / EACH);

extern "C" __global__ void sgemm(const float* a, const float* b, float* c) {
  __shared__ float tile_a[DEPTH][TILE];
  __shared__ float tile_b[DEPTH][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int thread = y * blockDim.x + x;
  const int first_row = blockIdx.y * TILE;
  const int first_col = blockIdx.x * TILE;
  float sum[EACH][EACH] = {};
  for (int start = 0; start < SIDE; start += DEPTH) {
    for (int i = thread; i < TILE * DEPTH; i += THREADS) {
      tile_a[i % DEPTH][i / DEPTH] = a[(first_row + i / DEPTH) * SIDE + start + i % DEPTH];
      tile_b[i / TILE][i % TILE] = b[(start + i / TILE) * SIDE + first_col + i % TILE];
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      float of_a[EACH];
      float of_b[EACH];
      for (int i = 0; i < EACH; ++i) of_a[i] = tile_a[k][y * EACH + i];
      for (int i = 0; i < EACH; ++i) of_b[i] = tile_b[k][x * EACH + i];
      for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH; ++j) sum[i][j] += of_a[i] * of_b[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) {
      c[(first_row + y * EACH + i) * SIDE + first_col + x * EACH + j] = sum[i][j];
    }
  }
}
