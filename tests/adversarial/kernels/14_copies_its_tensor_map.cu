// row 14: takes its tensor maps by value: the compiler makes copies of them in local memory.
// must be: crashed, tensor map in local memory
// on a GPU: crashed
// needs: sm_90
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int ROWS = 32;
constexpr int COLUMNS = 32;
constexpr int DEPTH = 64;
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / COLUMNS, M / ROWS}, .block = {256}});
AUTOKERNEL_TENSOR_MAP(tile_a, {.tensor = "A", .box = {DEPTH, ROWS}});
// B as a matrix of pieces of 32 columns.
AUTOKERNEL_TENSOR_MAP(tile_b, {.tensor = "B",
                               .box = {COLUMNS, 1, DEPTH},
                               .view = {.dims = {COLUMNS, N / COLUMNS, K}}});
AUTOKERNEL_TENSOR_MAP(tile_c, {.tensor = "C", .box = {COLUMNS, ROWS}});

__device__ unsigned at(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

extern "C" __global__ void matmul(const void*, const void*, void*,
                                  CUtensorMap map_a,
                                  CUtensorMap map_b,
                                  CUtensorMap map_c) {
  __shared__ alignas(128) __nv_bfloat16 a[ROWS][DEPTH];
  __shared__ alignas(128) __nv_bfloat16 b[DEPTH][COLUMNS];
  __shared__ alignas(128) __nv_bfloat16 c[ROWS][COLUMNS];
  __shared__ unsigned long long arrived;
  const int column = threadIdx.x % COLUMNS;
  const int row = threadIdx.x / COLUMNS;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(
        at(&arrived)));
  }
  __syncthreads();
  float sums[ROWS / 8] = {};
  for (int k = 0; k < K; k += DEPTH) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(&arrived)),
                   "r"(int(sizeof a + sizeof b)));
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
          "{%2, %3}], [%4];" ::"r"(at(a)),
          "l"(&map_a), "r"(k), "r"(int(blockIdx.y) * ROWS), "r"(at(&arrived))
          : "memory");
      asm volatile(
          "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
          "{%2, %3, %4}], "
          "[%5];" ::"r"(at(b)),
          "l"(&map_b), "r"(0), "r"(int(blockIdx.x)), "r"(k), "r"(at(&arrived))
          : "memory");
    }
    asm volatile(
        "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done "
        "bra AGAIN;\n}" ::"r"(at(&arrived)),
        "r"(k / DEPTH % 2)
        : "memory");
    for (int i = 0; i < ROWS / 8; ++i) {
      for (int j = 0; j < DEPTH; ++j)
        sums[i] += __bfloat162float(a[row + i * 8][j]) * __bfloat162float(b[j][column]);
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS / 8; ++i) c[row + i * 8][column] = __float2bfloat16(sums[i]);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map_c),
        "r"(int(blockIdx.x) * COLUMNS), "r"(int(blockIdx.y) * ROWS), "r"(at(c))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
  }
}
