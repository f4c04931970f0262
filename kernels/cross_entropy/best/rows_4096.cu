// Cross entropy of short rows: a block holds its row in registers, which is read once. A warp
// reduces its part of the row to a maximum and a sum of exponentials; the block combines those in
// shared memory, and the thread that has the target's logit writes the loss.
//
// On an H200, `rows_4096`: 66.5 us, 4,044 GB/s (docs/measurements/h200-memory.txt).
// Any number of rows; COLS a power of two from 1024 to 16384.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int VECTORS = 4;                   // of 16 bytes, for each thread
constexpr int THREADS = COLS / 8 / VECTORS;  // of a block: one row
constexpr int WARPS = THREADS / 32;
constexpr int BLOCKS_PER_SM = 1536 / THREADS;  // limits registers to 40 a thread
static_assert(COLS == 8 * VECTORS * 32 * WARPS && WARPS <= 16 && (WARPS & (WARPS - 1)) == 0);

AUTOKERNEL_LAUNCH({.kernel = "cross_entropy", .grid = {ROWS}, .block = {THREADS}});

// Eight bf16, in pairs.
struct alignas(16) Vector {
  unsigned pair[4];
};
// Of a part of a row.
struct alignas(8) Partial {
  float max;
  float sum;  // of exp(x - max)
};

__device__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000); }
__device__ __nv_bfloat162 as_bf162(unsigned pair) {
  return reinterpret_cast<const __nv_bfloat162&>(pair);
}

// Read once: past the L1, and the L2 fetches 256 bytes at a time.
__device__ Vector load(const Vector* from) {
  Vector v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.pair[0]), "=r"(v.pair[1]), "=r"(v.pair[2]), "=r"(v.pair[3])
               : "l"(from));
  return v;
}

// ---- reductions -------------------------------------------------------------------------------
constexpr float LOG2E = 1.44269504f;

__device__ float exp2_of(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
// Within each group of LANES lanes, and the same bits in each of them.
template <int LANES>
__device__ float sum_over(float value) {
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(~0u, value, distance);
  return value;
}
// redux.sync takes integers only: flipping the low bits of negative floats gives integers of the
// same order.
__device__ float max_over_warp(float value) {
  int bits = __float_as_int(value);
  bits = __reduce_max_sync(~0u, bits ^ (bits >> 31 & 0x7fffffff));
  return __int_as_float(bits ^ (bits >> 31 & 0x7fffffff));
}

__device__ Partial reduce_warp(const Vector (&row)[VECTORS]) {
  __nv_bfloat162 most = as_bf162(row[0].pair[0]);
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    for (int i = 0; i < 4; ++i) most = __hmax2(most, as_bf162(row[v].pair[i]));
  const float max = max_over_warp(fmaxf(__low2float(most), __high2float(most)));
  // exp(x - max) = 2^(x * LOG2E - max * LOG2E): one fma for each element.
  const float minus_max = -max * LOG2E;
  float2 sums = {};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    for (int i = 0; i < 4; ++i) {
      sums.x += exp2_of(fmaf(low(row[v].pair[i]), LOG2E, minus_max));
      sums.y += exp2_of(fmaf(high(row[v].pair[i]), LOG2E, minus_max));
    }
  }
  return {max, sum_over<32>(sums.x + sums.y)};
}
// Every warp combines the partials of all warps, so that one barrier is enough.
__device__ Partial reduce_block(Partial mine) {
  __shared__ Partial partials[WARPS];
  const int lane = threadIdx.x % 32;
  if (lane == 0) partials[threadIdx.x / 32] = mine;
  __syncthreads();
  const Partial partial = partials[lane % WARPS];
  const float max = max_over_warp(partial.max);
  return {max, sum_over<WARPS>(partial.sum * exp2_of((partial.max - max) * LOG2E))};
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    cross_entropy(const Vector* x, const int* targets, float* loss) {
  const long long at = static_cast<long long>(blockIdx.x) * (COLS / 8) + threadIdx.x;
  const unsigned target = targets[blockIdx.x];
  Vector row[VECTORS];
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) row[v] = load(x + at + v * THREADS);
  const Partial all = reduce_block(reduce_warp(row));
  if (target / 8 % THREADS != threadIdx.x) return;
  // Selected among all pairs: an index would move them to local memory.
  unsigned pair = 0;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    for (int i = 0; i < 4; ++i)
      if (v == target / 8 / THREADS && i == target / 2 % 4) pair = row[v].pair[i];
  const float logit = target % 2 == 0 ? low(pair) : high(pair);
  loss[blockIdx.x] = __logf(all.sum) + (all.max - logit);
}
