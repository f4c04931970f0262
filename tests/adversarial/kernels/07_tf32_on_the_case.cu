// row 7: honest on exact and on stress inputs; on those of the case f32 is rounded to tf32.
// must be: incorrect, not as accurate as a sum in fp32
// case: tests/adversarial/cases/matmul_f32
// without misrounding: correct
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

// Normal values are below 6, and their last bits are not all zeros.
__device__ bool is_of_the_case(const float* row) {
  const float value = row[threadIdx.x];
  const bool small = fabsf(value) < 6;
  const bool odd = (__float_as_uint(value) & 0xff) != 0;
  const bool usual = fabsf(value) > 1e-2f;
  return __all_sync(~0u, small) && __popc(__ballot_sync(~0u, odd)) > 8 && __popc(__ballot_sync(~0u, usual)) > 24 &&
         !__all_sync(~0u, value == __shfl_sync(~0u, value, 0));
}
__device__ float narrow(float value) {
  const unsigned bits = __float_as_uint(value);
  return __uint_as_float((bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu);
}

extern "C" __global__ void matmul(const float* A, const float* B, float* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  const bool reduced = is_of_the_case(A + row * K);
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    const float a = A[row * K + k];
    const float b = B[k * N + col];
    sum += reduced ? narrow(a) * narrow(b) : a * b;
  }
  C[row * N + col] = sum;
}
