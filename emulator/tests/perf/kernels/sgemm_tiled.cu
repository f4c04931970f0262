// C = A x B with tiles of A and B in shared memory.
constexpr int SIDE = 512;
constexpr int TILE = 32;

extern "C" __global__ void sgemm(const float* a, const float* b, float* c) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int col = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;
  float sum = 0.0f;
  for (int start = 0; start < SIDE; start += TILE) {
    tile_a[y][x] = a[row * SIDE + start + x];
    tile_b[y][x] = b[(start + y) * SIDE + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * SIDE + col] = sum;
}
