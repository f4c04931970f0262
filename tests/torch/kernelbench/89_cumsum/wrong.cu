// Mistake: the sums are exclusive: the element itself is not in its sum.
#include <autokernel.cuh>

constexpr int COLS = 32768;
constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "cumulative_sum", .grid = {batch_size}, .block = {THREADS}});

extern "C" __global__ void cumulative_sum(const float* x, float* output) {
  __shared__ float sums[THREADS];
  const int thread = threadIdx.x;
  x += static_cast<long long>(blockIdx.x) * COLS;
  output += static_cast<long long>(blockIdx.x) * COLS;
  float before = 0;  // the sum of all tiles before this one
  for (int first = 0; first < COLS; first += THREADS) {
    sums[thread] = x[first + thread];
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
      const float other = thread >= distance ? sums[thread - distance] : 0;
      __syncthreads();
      sums[thread] += other;
      __syncthreads();
    }
    output[first + thread] = before + (thread > 0 ? sums[thread - 1] : 0);
    before += sums[THREADS - 1];
    __syncthreads();
  }
}
