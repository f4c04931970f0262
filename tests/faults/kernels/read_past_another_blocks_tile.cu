// The neighbour of the last thread, in the shared memory of the cluster's other block.
// must be: crashed, at byte 1024 of tile, right behind its end
#include <autokernel.cuh>
#include <cooperative_groups.h>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void __cluster_dims__(2, 1, 1) f(const float* x, const float* y, float* z) {
  const auto cluster = cooperative_groups::this_cluster();
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = x[i];
  cluster.sync();
  const float* others = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1U);
  z[i] = y[i] + others[threadIdx.x + 1];  // here
  cluster.sync();
}
