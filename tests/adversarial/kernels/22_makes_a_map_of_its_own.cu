// row 22: moves a tensor map from A to memory of the runner's and copies from there.
// must be: crashed, out-of-bounds
// on a GPU: crashed
// needs: sm_90a
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});
AUTOKERNEL_TENSOR_MAP(part, {.tensor = "A", .box = {64, 8}});
AUTOKERNEL_WORKSPACE(128);

__device__ unsigned at(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                                  CUtensorMap* own, const __grid_constant__ CUtensorMap part) {
  __shared__ alignas(128) CUtensorMap map;
  __shared__ alignas(128) __nv_bfloat16 found[8][64];
  __shared__ unsigned long long arrived;
  const int thread = threadIdx.y * 32 + threadIdx.x;
  if (thread < 16) map.opaque[thread] = part.opaque[thread];
  __syncthreads();
  // Above everything that the case owns, a page of whoever runs it.
  unsigned long long there = reinterpret_cast<unsigned long long>(C) + (1ull << 33);
  if (thread == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&arrived)));
    asm volatile(
        "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at(&map)),
        "l"(there)
        : "memory");
  }
  __syncthreads();
  if (thread < 32) {
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;" ::"l"(own),
        "r"(at(&map))
        : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(own) : "memory");
  }
  if (thread == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(at(&arrived)));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{0, 0}], [%2];" ::"r"(at(found)),
        "l"(own), "r"(at(&arrived))
        : "memory");
  }
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra "
      "AGAIN;\n}" ::"r"(at(&arrived))
      : "memory");
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = __bfloat162float(found[0][0]) * 0;
  for (int k = 0; k < K; ++k)
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  C[row * N + col] = __float2bfloat16(sum);
}
