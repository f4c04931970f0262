// A warp for a row, by selection (radix): two histograms of 8 bits find the K-th largest value, a
// pass in the order of columns collects what is above it and the first of those that equal it, and
// each of them counts how many come before.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int BINS = 256;

AUTOKERNEL_LAUNCH({.kernel = "topk", .grid = {(ROWS + WARPS - 1) / WARPS}, .block = {32, WARPS}});

// Bits that are ordered as the values are; -0 becomes 0.
__device__ unsigned order_of(unsigned short bits) {
  if (bits == 0x8000) bits = 0;
  return bits & 0x8000 ? 0xffffu & ~bits : bits | 0x8000u;
}

// The highest bin such that `wanted` entries are in it and above; takes those above from `wanted`.
__device__ unsigned bin_of(const unsigned* counts, int& wanted) {
  unsigned bin = BINS;
  int above = 0;
  for (int from = BINS - 32; from >= 0 && bin == BINS; from -= 32) {
    // Lane 0 has the highest bin of 32.
    int sum = counts[from + 31 - threadIdx.x];
    const int own = sum;
    for (int lane = 1; lane < 32; lane *= 2) {
      const int other = __shfl_up_sync(~0u, sum, lane);
      if (threadIdx.x >= lane) sum += other;
    }
    const unsigned reached = __ballot_sync(~0u, above + sum >= wanted);
    if (reached != 0) {
      const int lane = __ffs(reached) - 1;
      bin = from + 31 - lane;
      above += __shfl_sync(~0u, sum - own, lane);
    } else {
      above += __shfl_sync(~0u, sum, 31);
    }
  }
  wanted -= above;
  return bin;
}

extern "C" __global__ void topk(const unsigned short* x, unsigned short* values, int* indices) {
  __shared__ unsigned all_counts[WARPS][BINS];
  __shared__ unsigned all_orders[WARPS][K];
  __shared__ int all_cols[WARPS][K];
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= ROWS) return;
  unsigned* const counts = all_counts[threadIdx.y];
  unsigned* const orders = all_orders[threadIdx.y];
  int* const cols = all_cols[threadIdx.y];
  x += static_cast<long long>(row) * COLS;

  int wanted = K;
  unsigned least = 0;
  for (int digit = 1; digit >= 0; --digit) {
    for (int bin = threadIdx.x; bin < BINS; bin += 32) counts[bin] = 0;
    __syncwarp();
    for (int col = threadIdx.x; col < COLS; col += 32) {
      const unsigned order = order_of(x[col]);
      if (digit == 1) atomicAdd(&counts[order >> 8], 1u);
      if (digit == 0 && order >> 8 == least >> 8) atomicAdd(&counts[order & 0xffu], 1u);
    }
    __syncwarp();
    least |= bin_of(counts, wanted) << (8 * digit);
    __syncwarp();
  }

  // `wanted` are left of those that equal the K-th largest: the first ones.
  const unsigned below = (1u << threadIdx.x) - 1;
  int above = 0;
  int equal = K - wanted;
  for (int begin = 0; begin < COLS; begin += 32) {
    const int col = begin + threadIdx.x;
    const unsigned order = col < COLS ? order_of(x[col]) : 0;
    const bool is_above = col < COLS && order > least;
    const bool is_equal = col < COLS && order == least;
    const unsigned those_above = __ballot_sync(~0u, is_above);
    const unsigned those_equal = __ballot_sync(~0u, is_equal);
    const int at =
        is_above ? above + __popc(those_above & below) : equal + __popc(those_equal & below);
    if ((is_above || is_equal) && at < K) {
      orders[at] = order;
      cols[at] = col;
    }
    above += __popc(those_above);
    equal += __popc(those_equal);
  }
  __syncwarp();

  // Equal ones are in the order of columns: the earlier comes first.
  for (int i = threadIdx.x; i < K; i += 32) {
    int place = 0;
    for (int j = 0; j < K; ++j) place += orders[j] > orders[i] || (orders[j] == orders[i] && j < i);
    values[static_cast<long long>(row) * K + place] = x[cols[i]];
    indices[static_cast<long long>(row) * K + place] = cols[i];
  }
}
