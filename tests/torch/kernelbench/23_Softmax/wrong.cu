// Mistake: the division by the sum is left out.
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "softmax", .grid = {batch_size}, .block = {THREADS}});

// One value of each thread to one of the block.
template <typename Combine>
__device__ float over_block(float value, Combine combine) {
  __shared__ float values[THREADS];
  values[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  value = values[0];
  __syncthreads();
  return value;
}

extern "C" __global__ void softmax(const float* x, float* output) {
  x += static_cast<long long>(blockIdx.x) * dim;
  output += static_cast<long long>(blockIdx.x) * dim;
  float most = -CUDART_INF_F;
  for (int i = threadIdx.x; i < dim; i += THREADS) most = fmaxf(most, x[i]);
  most = over_block(most, [](float a, float b) { return fmaxf(a, b); });
  for (int i = threadIdx.x; i < dim; i += THREADS) output[i] = expf(x[i] - most);
}
