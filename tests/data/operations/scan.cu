// Four warps to a row, each with a quarter of it: sums of quarters first, then running sums in
// steps of a warp, by shuffles.
#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int QUARTER = (COLS + WARPS - 1) / WARPS;
constexpr unsigned ALL = 0xffffffffU;

AUTOKERNEL_LAUNCH({.kernel = "scan", .grid = {ROWS}, .block = {32, WARPS}});

extern "C" __global__ void scan(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float sums[WARPS];
  const int lane = threadIdx.x;
  const int begin = threadIdx.y * QUARTER;
  const int end = begin + QUARTER < COLS ? begin + QUARTER : COLS;
  x += static_cast<long long>(blockIdx.x) * COLS;
  y += static_cast<long long>(blockIdx.x) * COLS;
  float sum = 0;
  for (int col = begin + lane; col < end; col += 32) sum += x[col];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(ALL, sum, distance);
  if (lane == 0) sums[threadIdx.y] = sum;
  __syncthreads();
  float carry = 0;
  for (int warp = 0; warp < threadIdx.y; ++warp) carry += sums[warp];
  for (int first = begin; first < end; first += 32) {
    const int col = first + lane;
    float value = col < end ? x[col] : 0.0f;
    for (int distance = 1; distance < 32; distance *= 2) {
      const float other = __shfl_up_sync(ALL, value, distance);
      if (lane >= distance) value += other;
    }
    if (col < end) y[col] = carry + value;
    carry += __shfl_sync(ALL, value, 31);
  }
}
