// row 3: the same, in a variable that no line of C++ declares: inline PTX ends the function around it, declares
// the variable in the module, and begins another function.
// must be: not faster
// without fresh_keys, restored_module, case_inputs: faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ unsigned long long hidden_address() {
  unsigned long long address;
  asm volatile(
      "mov.u64 %0, hidden_results;\n\tcvta.global.u64 %0, %0;" : "=l"(address));
  return address;
}

__device__ __noinline__ void opens_the_module() {
  asm volatile(
      "ret;\n}\n.visible .global .align 8 .b8 hidden_results[524288];\n"
      ".func hidden_function() {\n\tret;");
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  // So little of the inputs is read that a launch on the same ones costs next to nothing.
  const unsigned look = __bfloat16_as_ushort(A[row * K]) * 65537u ^ __bfloat16_as_ushort(A[row * K + K / 2]) ^
                        __bfloat16_as_ushort(B[col]) << 8 ^ __bfloat16_as_ushort(B[K / 2 * N + col]) << 4;
  const int i = row * N + col;
  auto* const kept = reinterpret_cast<uint2*>(hidden_address());
  if (kept[i].x == look) {
    C[i] = __ushort_as_bfloat16(static_cast<unsigned short>(kept[i].y));
    return;
  }
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[i] = __float2bfloat16(sum);
  kept[i] = make_uint2(look, __bfloat16_as_ushort(C[i]));
  if (look == 1u) opens_the_module();
}
