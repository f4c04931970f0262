// Running sums of each row: a block for a row, which goes along it in steps of its threads. A
// start, and right at every size.
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "scan", .grid = {ROWS}, .block = {THREADS}});

// The sum of the values of this thread and of all before it (Hillis and Steele, "Data parallel
// algorithms", 1986).
__device__ float scan_of_block(float value) {
  __shared__ float values[THREADS];
  values[threadIdx.x] = value;
  __syncthreads();
  for (int distance = 1; distance < THREADS; distance *= 2) {
    const float other = threadIdx.x >= distance ? values[threadIdx.x - distance] : 0.0f;
    __syncthreads();
    values[threadIdx.x] += other;
    __syncthreads();
  }
  return values[threadIdx.x];
}

extern "C" __global__ void scan(const float* x, float* y) {
  __shared__ float carry;  // the sum of all steps so far
  x += static_cast<long long>(blockIdx.x) * COLS;
  y += static_cast<long long>(blockIdx.x) * COLS;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int begin = 0; begin < COLS; begin += THREADS) {
    const int col = begin + threadIdx.x;
    const float sum = carry + scan_of_block(col < COLS ? x[col] : 0.0f);
    if (col < COLS) y[col] = sum;
    __syncthreads();
    if (threadIdx.x == THREADS - 1) carry = sum;
    __syncthreads();
  }
}
