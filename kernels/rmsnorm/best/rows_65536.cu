// Root mean square norm of long rows: persistent clusters of two blocks, of which each holds half a
// row in registers. Bulk copies fill a ring in shared memory with the next rows meanwhile. Warps
// send their sum of squares to both blocks of the cluster. The weights stay in shared memory.
//
// On an H200, `rows_65536`: 2165.2 us, 3,967 GB/s (docs/measurements/h200-memory.txt).
// Any number of rows; COLS is 65536.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int VECTORS = 4;  // of 16 bytes, for each thread
constexpr int THREADS = 1024;
constexpr int CLUSTER = 2;  // blocks that share a row
constexpr int WARPS = CLUSTER * THREADS / 32;
constexpr int SUMS = WARPS / 32;  // for each lane of a warp
constexpr int SLICE = THREADS * VECTORS;
static_assert(COLS == 8 * CLUSTER * SLICE);

constexpr int MULTIPROCESSORS = 132;
constexpr int MOST_CLUSTERS = MULTIPROCESSORS / CLUSTER;
// No fewer than four rows for each cluster.
constexpr int CLUSTERS = MOST_CLUSTERS < (ROWS + 3) / 4 ? MOST_CLUSTERS : (ROWS + 3) / 4;
// A stage is a vector for each thread, 16 KB: all that shared memory holds beside the weights.
constexpr int STAGES = 10;

using uint64_t = unsigned long long;

// Eight bf16, in pairs.
struct alignas(16) Vector {
  unsigned pair[4];
};
struct Shared {
  Vector ring[STAGES][THREADS];
  Vector weight[SLICE];
  // Rows take the two buffers in turn. A warp writes a buffer again once it has read the other one,
  // for which every warp must have read this one.
  float sums[2][WARPS];
  uint64_t sent[2];       // all sums have arrived
  uint64_t full[STAGES];  // the stage's bytes have arrived
};

AUTOKERNEL_LAUNCH({.kernel = "rmsnorm",
                   .grid = {CLUSTERS * CLUSTER},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared),
                   .cluster = {CLUSTER}});

__device__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000); }
__device__ unsigned pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const unsigned&>(pair);
}
__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// ---- mbarriers: `parity` is that of the phase waited for --------------------------------------
__device__ void init(uint64_t* barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)));
}
__device__ void expect(uint64_t* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ void wait(uint64_t* barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
          shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// ---- copies -----------------------------------------------------------------------------------
__device__ void load_bulk(Vector* to, const Vector* from, int bytes, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}
// Streaming: the first to leave the caches.
__device__ void store(Vector* to, const Vector& v) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.pair[0]),
               "r"(v.pair[1]), "r"(v.pair[2]), "r"(v.pair[3])
               : "memory");
}
// To the same place of a block of the cluster, whose barrier counts the bytes.
__device__ void send(float* to, float sum, uint64_t* barrier, int block) {
  asm volatile(
      "{\n.reg .b32 there, barrier;\n"
      "mapa.shared::cluster.u32 there, %0, %2;\n"
      "mapa.shared::cluster.u32 barrier, %1, %2;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [there], %3, [barrier];\n}" ::"r"(
          shared_address(to)),
      "r"(shared_address(barrier)), "r"(block), "f"(sum)
      : "memory");
}

// ---- sums -------------------------------------------------------------------------------------
// The same bits in each lane.
__device__ float sum_over_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(~0u, value, distance);
  return value;
}
__device__ float squares_over_warp(const Vector (&row)[VECTORS]) {
  float2 sums = {};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    for (int i = 0; i < 4; ++i) {
      sums.x += low(row[v].pair[i]) * low(row[v].pair[i]);
      sums.y += high(row[v].pair[i]) * high(row[v].pair[i]);
    }
  }
  return sum_over_warp(sums.x + sums.y);
}
// Row `i` of this cluster. Every warp adds up the sums of all warps.
__device__ float sum_over_cluster(Shared& shared, float mine, int i) {
  const int buffer = i % 2;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) expect(&shared.sent[buffer], sizeof shared.sums[buffer]);
  if (lane < CLUSTER) {
    const int to = blockIdx.x % CLUSTER * (THREADS / 32) + warp;
    send(&shared.sums[buffer][to], mine, &shared.sent[buffer], lane);
  }
  wait(&shared.sent[buffer], i / 2 % 2);
  float sum = 0;
  for (int s = 0; s < SUMS; ++s) sum += shared.sums[buffer][s * 32 + lane];
  return sum_over_warp(sum);
}
// Has the compiler unpack the values again, in place of keeping them in twice as many registers.
__device__ void forget_unpacked(Vector (&row)[VECTORS]) {
#pragma unroll
  for (Vector& vector : row)
    for (unsigned& pair : vector.pair) asm("" : "+r"(pair));
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    rmsnorm(const Vector* x, const Vector* weight, Vector* y, float epsilon) {
  extern __shared__ Vector memory[];
  Shared& shared = reinterpret_cast<Shared&>(*memory);
  const int thread = threadIdx.x;
  const int column = blockIdx.x % CLUSTER * SLICE;  // in vectors
  const int first = blockIdx.x / CLUSTER;
  const int rows = (ROWS - first + CLUSTERS - 1) / CLUSTERS;
  if (thread == 0) {
    for (int s = 0; s < STAGES; ++s) init(&shared.full[s]);
    for (uint64_t& barrier : shared.sent) init(&barrier);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncwarp();
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  __syncthreads();

  // By thread 0. Pieces are counted from the block's first row on, VECTORS for each row.
  const auto load_piece = [&](int piece) {
    if (piece >= rows * VECTORS) return;
    const int stage = piece % STAGES;
    const long long row = first + static_cast<long long>(piece / VECTORS) * CLUSTERS;
    expect(&shared.full[stage], sizeof shared.ring[stage]);
    load_bulk(shared.ring[stage], x + row * (COLS / 8) + column + piece % VECTORS * THREADS,
              sizeof shared.ring[stage], &shared.full[stage]);
  };
  if (thread == 0)
    for (int s = 0; s < STAGES; ++s) load_piece(s);
  for (int v = thread; v < SLICE; v += THREADS) shared.weight[v] = weight[column + v];
  __syncthreads();
  // The other block's barriers are there before anything is sent to it.
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");

  int stage = 0;
  int parity = 0;
#pragma unroll 1
  for (int i = 0; i < rows; ++i) {
    const long long row_index = first + static_cast<long long>(i) * CLUSTERS;
    const long long at = row_index * (COLS / 8) + column + thread;
    Vector row[VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      wait(&shared.full[stage], parity);
      row[v] = shared.ring[stage][thread];
      if (++stage == STAGES) {
        stage = 0;
        parity ^= 1;
      }
    }
    const float sum = sum_over_cluster(shared, squares_over_warp(row), i);
    // All threads have sent something, so all have read their vectors: the stages are free.
    if (thread == 0)
      for (int v = 0; v < VECTORS; ++v) load_piece(i * VECTORS + STAGES + v);
    forget_unpacked(row);
    const float scale = rsqrtf(sum * (1.0f / COLS) + epsilon);
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      const Vector weights = shared.weight[v * THREADS + thread];
      Vector result;
      for (int j = 0; j < 4; ++j) {
        result.pair[j] = pack(low(row[v].pair[j]) * scale * low(weights.pair[j]),
                              high(row[v].pair[j]) * scale * high(weights.pair[j]));
      }
      store(y + at + v * THREADS, result);
    }
  }
}
