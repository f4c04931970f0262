// Rows are split among blocks too: partial sums go by way of a workspace, and a second launch adds them in a fixed order.
#include <autokernel.cuh>

constexpr int THREADS = 64;
constexpr int PARTS = ROWS < 16 ? 1 : 16;
constexpr int EACH = (ROWS + PARTS - 1) / PARTS;
constexpr int WIDE = (COLS + THREADS - 1) / THREADS;

AUTOKERNEL_WORKSPACE(sizeof(float) * PARTS * COLS);
AUTOKERNEL_LAUNCH({.kernel = "parts", .grid = {WIDE, PARTS}, .block = {THREADS}},
                  {.kernel = "total", .grid = {WIDE}, .block = {THREADS}});

extern "C" __global__ void parts(const float* x, float*, float* workspace) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col >= COLS) return;
  float sum = 0;
  for (int i = 0; i < EACH; ++i) {
    const long long row = static_cast<long long>(blockIdx.y) * EACH + i;
    if (row < ROWS) sum += x[row * COLS + col];
  }
  workspace[blockIdx.y * COLS + col] = sum;
}

extern "C" __global__ void total(const float*, float* sums, const float* workspace) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col >= COLS) return;
  float sum = 0;
  for (int part = 0; part < PARTS; ++part) sum += workspace[part * COLS + col];
  sums[col] = sum;
}
