// row 11: adds up its rows in an order that depends on when it runs, where the case asks for the same bits every time.
// The clock stands for what decides a race.
// must be: incorrect, the result depends on the order in which threads run
// case: tests/data/row_sums
// without repeats: correct
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "row_sums", .grid = {ROWS}, .block = {32}});

extern "C" __global__ void row_sums(const float* x, float* sums) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  constexpr int STEPS = (COLS + 31) / 32;
  const int first = static_cast<int>(__shfl_sync(0xffffffffu, now, 0) >> 4 & 0xffffu) % STEPS;
  float sum = 0;
  for (int i = 0; i < STEPS; ++i) {
    const int col = (i + first) % STEPS * 32 + threadIdx.x;
    if (col < COLS) sum += x[blockIdx.x * COLS + col];
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
