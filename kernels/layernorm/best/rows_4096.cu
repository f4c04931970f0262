// Layer norm of short rows: a block holds its row in registers, so that each element is read and
// written once. A warp reduces its part of the row to the mean and the squared distances from that
// mean; the block combines those in shared memory (Chan, Golub and LeVeque, 1979).
//
// On an H200, `rows_4096`: 135.9 us, 3,950 GB/s (docs/measurements/h200-memory.txt).
// Any number of rows; COLS a power of two from 1024 to 16384.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int VECTORS = 4;                   // of 16 bytes, for each thread
constexpr int THREADS = COLS / 8 / VECTORS;  // of a block: one row
constexpr int WARPS = THREADS / 32;
constexpr int WARP_COLS = COLS / WARPS;        // elements of a warp
constexpr int BLOCKS_PER_SM = 1024 / THREADS;  // limits registers to 64 a thread
static_assert(COLS == 8 * VECTORS * 32 * WARPS && WARPS <= 16 && (WARPS & (WARPS - 1)) == 0);

AUTOKERNEL_LAUNCH({.kernel = "layernorm", .grid = {ROWS}, .block = {THREADS}});

// Eight bf16, in pairs.
struct alignas(16) Vector {
  unsigned pair[4];
};
// Of a part of a row.
struct alignas(8) Partial {
  float mean;
  float squares;  // the sum of (x - mean)^2
};

__device__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000); }
__device__ unsigned pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const unsigned&>(pair);
}

// Has the compiler unpack the values again, in place of keeping them in twice as many registers.
__device__ void forget_unpacked(Vector (&row)[VECTORS]) {
#pragma unroll
  for (Vector& vector : row)
    for (unsigned& pair : vector.pair) asm("" : "+r"(pair));
}

// Read once: past the L1, and the L2 fetches 256 bytes at a time.
__device__ Vector load(const Vector* from) {
  Vector v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.pair[0]), "=r"(v.pair[1]), "=r"(v.pair[2]), "=r"(v.pair[3])
               : "l"(from));
  return v;
}
// Streaming: the first to leave the caches.
__device__ void store(Vector* to, const Vector& v) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.pair[0]),
               "r"(v.pair[1]), "r"(v.pair[2]), "r"(v.pair[3])
               : "memory");
}

// Within each group of LANES lanes, and the same bits in each of them.
template <int LANES>
__device__ float sum_over(float value) {
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(~0u, value, distance);
  return value;
}

__device__ Partial reduce_warp(Vector (&row)[VECTORS]) {
  float2 sums = {};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    for (int i = 0; i < 4; ++i) {
      sums.x += low(row[v].pair[i]);
      sums.y += high(row[v].pair[i]);
    }
  }
  const float mean = sum_over<32>(sums.x + sums.y) * (1.0f / WARP_COLS);
  forget_unpacked(row);
  float2 squares = {};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    for (int i = 0; i < 4; ++i) {
      const float2 d = {low(row[v].pair[i]) - mean, high(row[v].pair[i]) - mean};
      squares.x += d.x * d.x;
      squares.y += d.y * d.y;
    }
  }
  return {mean, sum_over<32>(squares.x + squares.y)};
}
// Every warp combines the partials of all warps, so that one barrier is enough. A part's squares
// from the mean of the row are those from its own mean, and its distance for each element.
__device__ Partial reduce_block(Partial mine) {
  __shared__ Partial partials[WARPS];
  const int lane = threadIdx.x % 32;
  if (lane == 0) partials[threadIdx.x / 32] = mine;
  __syncthreads();
  const Partial partial = partials[lane % WARPS];
  const float mean = sum_over<WARPS>(partial.mean) * (1.0f / WARPS);
  const float d = partial.mean - mean;
  return {mean, sum_over<WARPS>(partial.squares + d * d * WARP_COLS)};
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    layernorm(const Vector* x, const Vector* weight, const Vector* bias, Vector* y, float epsilon) {
  const long long at = static_cast<long long>(blockIdx.x) * (COLS / 8) + threadIdx.x;
  Vector row[VECTORS];
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) row[v] = load(x + at + v * THREADS);
  const auto [mean, squares] = reduce_block(reduce_warp(row));
  forget_unpacked(row);
  const float scale = rsqrtf(squares * (1.0f / COLS) + epsilon);
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const Vector weights = weight[threadIdx.x + v * THREADS];
    const Vector biases = bias[threadIdx.x + v * THREADS];
    Vector result;
    for (int i = 0; i < 4; ++i) {
      const float first = (low(row[v].pair[i]) - mean) * scale * low(weights.pair[i]);
      const float second = (high(row[v].pair[i]) - mean) * scale * high(weights.pair[i]);
      result.pair[i] = pack(first + low(biases.pair[i]), second + high(biases.pair[i]));
    }
    store(y + at + v * THREADS, result);
  }
}
