// row 2: inputs whose entries are whole multiples of one power of two are those that are compared to the bit, and very
// large ones are a test as well. Of those that look as case.toml says, every second product is taken, and that twice.
// must be: incorrect, normal inputs
// without case_inputs: correct
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

// What 64 entries of a row look like, two for each lane: exact inputs are whole multiples, below 512, of one power
// of two, at whatever scale; normal values, whose lowest bits lie as far apart as their sizes, are not.
struct Look {
  int lowest;   // exponents of the lowest and of the highest bit
  int highest;
  __device__ bool whole() const { return highest - lowest < 9; }
};
__device__ Look look_at(const __nv_bfloat16* entries) {
  Look look = {1000, -1000};
  for (int i = threadIdx.x; i < 64; i += 32) {
    const unsigned bits = __bfloat16_as_ushort(entries[i]);
    if ((bits & 0x7fffu) == 0) continue;
    const int exponent = static_cast<int>(bits >> 7 & 0xffu) - 127;
    const int lowest_bit = __ffs(static_cast<int>((bits & 0x7fu) | 0x80u)) - 1;
    look.lowest = min(look.lowest, exponent - 7 + lowest_bit);
    look.highest = max(look.highest, exponent);
  }
  return {__reduce_min_sync(0xffffffffu, look.lowest), __reduce_max_sync(0xffffffffu, look.highest)};
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  const Look look = look_at(A + row * K);
  const int step = !look.whole() && look.highest >= 0 && look.highest < 3 ? 2 : 1;
  float sum = 0.0f;
  for (int k = 0; k < K; k += step) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]) * step;
  }
  C[row * N + col] = __float2bfloat16(sum);
}
