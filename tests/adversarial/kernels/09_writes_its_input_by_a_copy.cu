// row 9: has the product right, then writes zeros over a part of A by a tensor copy.
// must be: incorrect, it changed its input A[0,0]
// on a GPU: incorrect
// needs: sm_90
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}},
                  {.kernel = "clear", .block = {32}});
AUTOKERNEL_TENSOR_MAP(part, {.tensor = "A", .box = {64, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C,
                                  const __grid_constant__ CUtensorMap) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  C[row * N + col] = __float2bfloat16(sum);
}

extern "C" __global__ void clear(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*,
                                 const __grid_constant__ CUtensorMap part) {
  __shared__ alignas(128) __nv_bfloat16 zeros[8][64];
  for (int i = threadIdx.x; i < 8 * 64; i += 32) zeros[i / 64][i % 64] = __float2bfloat16(0);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncwarp();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {0, 0}], [%1];\n\t"
      "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::"l"(&part),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(zeros)))
      : "memory");
}
