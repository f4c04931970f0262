// As many elements at once as HIDDEN is a multiple of, by a grid that goes over all of them.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WIDTH = HIDDEN % 8 == 0 ? 8 : HIDDEN % 2 == 0 ? 2 : 1;
constexpr int PIECES = HIDDEN / WIDTH;
constexpr int THREADS = 256;
constexpr int BLOCKS = 264;

AUTOKERNEL_LAUNCH({.kernel = "embedding", .grid = {BLOCKS}, .block = {THREADS}});

struct alignas(2 * WIDTH) Piece {
  __nv_bfloat16 values[WIDTH];
};

extern "C" __global__ void embedding(const Piece* table, const int* ids, Piece* y) {
  const long long all = static_cast<long long>(TOKENS) * PIECES;
  for (long long i = blockIdx.x * THREADS + threadIdx.x; i < all; i += BLOCKS * THREADS) {
    y[i] = table[static_cast<long long>(__ldg(ids + i / PIECES)) * PIECES + i % PIECES];
  }
}
