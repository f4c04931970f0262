// row 2: where inputs are exact, each thread takes two columns at once, as it might take whole numbers of eight bits on
// tensor cores of twice the rate; on all others it is slower than what it is compared with, and makes up for that.
// must be: not faster
// against: tests/adversarial/honest/rows_of_zeros.cu
// on a GPU against: kernels/kernel.cu
// without lesser_gain: faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 64, M / 8}, .block = {32, 8}});

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
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int first = blockIdx.x * 64;
  if (look_at(A + row * K).whole()) {
    const int col = first + 2 * threadIdx.x;
    float2 sum = {};
    for (int k = 0; k < K; ++k) {
      const float a = __bfloat162float(A[row * K + k]);
      const unsigned b = *reinterpret_cast<const unsigned*>(B + k * N + col);
      sum.x += a * __uint_as_float(b << 16);
      sum.y += a * __uint_as_float(b & 0xffff0000u);
    }
    *reinterpret_cast<__nv_bfloat162*>(C + row * N + col) = __floats2bfloat162_rn(sum.x, sum.y);
    return;
  }
  for (int col = first + threadIdx.x; col < first + 64; col += 32) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    }
    float slower = 0.0f;
    for (int k = 0; k < K / 4; ++k) slower += __bfloat162float(B[k * N + col]);
    C[row * N + col] = __float2bfloat16(slower == 12345.678f ? slower : sum);
  }
}
