// Mistake: the steps of the sum in shared memory are not separated by __syncthreads().
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "matrix_vector", .grid = {M}, .block = {THREADS}});

extern "C" __global__ void matrix_vector(const float* A, const float* x, float* y) {
  __shared__ float sums[THREADS];
  A += static_cast<long long>(blockIdx.x) * K;
  float sum = 0;
  for (int i = threadIdx.x; i < K; i += THREADS) sum += A[i] * x[i];
  sums[threadIdx.x] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sums[0];
}
