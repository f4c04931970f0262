// Several blocks for a row, as where rows are few: sums and columns are packed into one integer
// whose maximum is taken, by shuffles and then by an atomic operation; a second launch takes the
// columns out. Eight elements at once where they can be.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;
constexpr int WIDTH = COLS % 8 == 0 ? 8 : 1;
constexpr int PIECES = COLS / WIDTH;
constexpr int BLOCKS = PIECES < 8 * THREADS ? 2 : 8;

AUTOKERNEL_ZEROED_WORKSPACE(sizeof(unsigned long long) * ROWS);
AUTOKERNEL_LAUNCH({.kernel = "find", .grid = {BLOCKS, ROWS}, .block = {THREADS}},
                  {.kernel = "unpack",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

struct alignas(2 * WIDTH) Logits {
  __nv_bfloat16 values[WIDTH];
};
struct alignas(WIDTH == 8 ? 16 : 4) Noise {
  float values[WIDTH];
};

// Ordered as the sums are, and of equal sums the lower column is the larger number. Never 0.
__device__ unsigned long long packed(float sum, unsigned col) {
  const unsigned bits = __float_as_uint(sum + 0.0f);
  const unsigned ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
  return static_cast<unsigned long long>(ordered) << 32 | ~col;
}

extern "C" __global__ void find(const Logits* logits, const Noise* noise, int*, float temperature,
                                unsigned long long* most) {
  const float by = 1 / temperature;
  logits += static_cast<long long>(blockIdx.y) * PIECES;
  noise += static_cast<long long>(blockIdx.y) * PIECES;
  unsigned long long best = 0;
  for (int piece = blockIdx.x * THREADS + threadIdx.x; piece < PIECES; piece += BLOCKS * THREADS) {
    const Logits x = logits[piece];
    const Noise y = noise[piece];
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) {
      const float sum = fmaf(__bfloat162float(x.values[i]), by, y.values[i]);
      best = max(best, packed(sum, piece * WIDTH + i));
    }
  }
  for (int lane = 16; lane > 0; lane /= 2) best = max(best, __shfl_xor_sync(~0u, best, lane));
  if (threadIdx.x % 32 == 0 && best != 0) atomicMax(&most[blockIdx.y], best);
}

extern "C" __global__ void unpack(const Logits*, const Noise*, int* token, float,
                                  const unsigned long long* most) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row < ROWS) token[row] = ~static_cast<unsigned>(most[row]);
}
