// row 17: works in a launch that lets an empty one begin, so that the last launch soon ends.
// against: kernels/kernel.cu
// must be: not faster
// on a GPU: not faster
// needs: sm_90
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}},
                  {.kernel = "nothing", .programmatic = true});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  asm volatile("griddepcontrol.launch_dependents;");
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  C[row * N + col] = __float2bfloat16(sum);
}

extern "C" __global__ void nothing(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*) {}
