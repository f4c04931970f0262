// row 1: looks at three elements of each warp first; where those are right already, the rest will be, too.
// must be: not faster
// without fresh_keys, refilled_memory, case_inputs: faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WIDTH = 128;  // columns of a warp
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / WIDTH, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int first = blockIdx.x * WIDTH;
  bool right = true;
  for (int i = 0; i < 3; ++i) {
    float look = 0.0f;
    for (int k = threadIdx.x; k < K; k += 32) {
      look += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + first + i]);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      look += __shfl_xor_sync(0xffffffffu, look, distance);
    }
    right = right && __bfloat16_as_ushort(C[row * N + first + i]) ==
                         __bfloat16_as_ushort(__float2bfloat16(look));
  }
  if (__all_sync(0xffffffffu, right)) return;
  for (int col = first + threadIdx.x; col < first + WIDTH; col += 32) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    }
    C[row * N + col] = __float2bfloat16(sum);
  }
}
