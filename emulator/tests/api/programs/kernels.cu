// The kernels of the programs beside this file.
#include <cstdio>

extern "C" __global__ void add(const float* a, const float* b, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
}

// value = value * factor + summand
extern "C" __global__ void step(unsigned* value, unsigned factor, unsigned summand) {
  *value = *value * factor + summand;
}

// product = a x b, square matrices of `size` rows `pitch` floats apart; a block computes a tile.
constexpr int kTile = 16;
extern "C" __global__ void multiply(const float* a, const float* b, float* product, int size,
                                    int pitch) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < size; k += kTile) {
    const int x = k + threadIdx.x;
    const int y = k + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < size && x < size ? a[row * pitch + x] : 0;
    tile_b[threadIdx.y][threadIdx.x] = y < size && column < size ? b[y * pitch + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < size && column < size) product[row * pitch + column] = sum;
}

extern "C" __global__ void greet() { printf("thread %d of block %d\n", threadIdx.x, blockIdx.x); }
