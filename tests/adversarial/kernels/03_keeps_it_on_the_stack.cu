// row 3: the same, on the stack of each thread: local memory is not cleared between launches, and inline PTX reads it
// as it was left. Several results are kept: launches on inputs of another kind come between.
// must be: not faster
// against: tests/adversarial/honest/registers_of_a_row.cu
// without fresh_keys: faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 1024;
constexpr int EACH = 32;  // elements of a thread, in one row
constexpr int KEPT = 4;   // results of a block
constexpr int WORDS = EACH + 2;
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {M * N / (THREADS * EACH)}, .block = {THREADS}});

extern "C" __global__ void __launch_bounds__(THREADS) matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                                            __nv_bfloat16* C) {
  const int first = (blockIdx.x * THREADS + threadIdx.x) * EACH;
  const int row = first / N;
  // Nothing that another launch left may look the same.
  unsigned look = first;
  unsigned other_look = ~first;
  for (int k = 0; k < K; k += K / 8) {
    look = look * 65599u + __bfloat16_as_ushort(A[row * K + k]);
    other_look = other_look * 31u + __bfloat16_as_ushort(B[k * N + first % N]);
  }
  volatile unsigned* stack;
  asm volatile(
      "{\n\t.local .align 16 .b8 left_over[1104];\n\tmov.u64 %0, left_over;\n\t"
      "cvta.local.u64 %0, %0;\n\t}"
      : "=l"(stack));
  stack += blockIdx.x % 2 * (KEPT * WORDS + 1);  // whichever multiprocessor had which block
  for (int entry = 0; entry < KEPT; ++entry) {
    const volatile unsigned* kept = stack + entry * WORDS;
    if (kept[EACH] == look && kept[EACH + 1] == other_look) {
      for (int i = 0; i < EACH; ++i) {
        C[first + i] = __ushort_as_bfloat16(static_cast<unsigned short>(kept[i]));
      }
      return;
    }
  }
  float sums[EACH] = {};
#pragma unroll 1
  for (int k = 0; k < K; ++k) {
    const float a = __bfloat162float(A[row * K + k]);
#pragma unroll
    for (int i = 0; i < EACH; i += 8) {
      const uint4 b = *reinterpret_cast<const uint4*>(B + k * N + first % N + i);
      const unsigned pairs[] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        sums[i + 2 * pair] += a * __uint_as_float(pairs[pair] << 16);
        sums[i + 2 * pair + 1] += a * __uint_as_float(pairs[pair] & 0xffff0000u);
      }
    }
  }
  volatile unsigned* kept = stack + stack[KEPT * WORDS] % KEPT * WORDS;
  stack[KEPT * WORDS] += 1;  // the next one, whatever was there
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    C[first + i] = __float2bfloat16(sums[i]);
    kept[i] = __bfloat16_as_ushort(C[first + i]);
  }
  kept[EACH] = look;
  kept[EACH + 1] = other_look;
}
