// Sums of rows and their scaling, behind wrappers, as in a library.
#include <vector>
#include "rows.cuh"

constexpr int kWarps = 4;
inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

struct Scaling {
  float factor;
  int columns;
};

template <typename T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32) sum_rows(const T* x, float* sums, int rows, int columns) {
  extern __shared__ float parts[];
  const int row = blockIdx.x;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += WARPS * 32) sum += __half2float(x[row * columns + i]);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0 && row < rows) {
    float total = 0;
    for (int i = 0; i < WARPS; ++i) total += parts[i];
    sums[row] = total;
  }
}

__global__ void scale_rows(element* x, Scaling scaling) {
  const int row = blockIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < scaling.columns) {
    element* at = x + row * scaling.columns + column;
    *at = __float2half(__half2float(*at) * scaling.factor);
  }
}

void sum(element* x, float* sums, int rows, int columns) {
  sum_rows<element, kWarps><<<rows, kWarps * 32, kWarps * sizeof(float)>>>(x, sums, rows, columns);
}

void scale(element* x, int rows, int columns, float factor) {
  Scaling scaling;
  scaling.factor = factor;
  scaling.columns = columns;
  dim3 grid(ceil_div(columns, 128), rows);
  scale_rows<<<grid, 128>>>(x, scaling);
}

int main() {
  const int rows = 64, columns = 500;
  std::vector<element> host(rows * columns);
  element* x;
  float* sums;
  cudaMalloc(&x, rows * columns * sizeof(element));
  cudaMalloc(&sums, rows * sizeof(float));
  sum(x, sums, rows, columns);
  scale(x, rows, columns, 0.5f);
}
