// Ways to launch a kernel: a table of functions, a configuration, a list of arguments, a macro.
#include <cooperative_groups.h>

#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif

namespace steps {

__constant__ real weights[2] = {0.25f, 0.75f};

__global__ void first(const real* x, real* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = weights[0] * x[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void second(const real* x, real* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = weights[1] * x[blockIdx.x * blockDim.x + threadIdx.x];
}

template <typename T>
__global__ void together(T* x, int n, unsigned long long seed) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] += static_cast<T>(seed % 7);
  grid.sync();
}

__global__ void paired(real* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

}  // namespace steps

#define LAUNCH_PAIRED(count)                             \
  cudaLaunchConfig_t config;                             \
  config.gridDim = dim3((count) / 128);                  \
  config.blockDim = 128;                                 \
  cudaLaunchAttribute attributes[1];                     \
  attributes[0].id = cudaLaunchAttributeClusterDimension; \
  attributes[0].val.clusterDim.x = 2;                    \
  attributes[0].val.clusterDim.y = 1;                    \
  attributes[0].val.clusterDim.z = 1;                    \
  cudaLaunchKernelEx(&config, steps::paired, x, count);

int main() {
  const int n = 512;
  real *x, *y;
  cudaMallocManaged(&x, n * sizeof(real));
  cudaMallocManaged(&y, n * sizeof(real));
  dim3 grids[2];
  void (*table[2])(const real*, real*);
  table[0] = steps::first;
  table[1] = steps::second;
  grids[0] = dim3(n / 64);
  grids[1] = dim3(n / 64);
  for (int i = 0; i < 2; ++i) table[i]<<<grids[i], 64>>>(x, y);
  int count = n;
  unsigned long long seed = 12345;
  void* arguments[] = {&x, &count, &seed};
  cudaLaunchCooperativeKernel((void*)steps::together<real>, dim3(4), dim3(128), arguments, 0, 0);
  LAUNCH_PAIRED(n)
  return 0;
}
