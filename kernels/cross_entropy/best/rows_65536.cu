// Cross entropy of long rows: persistent clusters of two blocks, of which each holds half a row in
// registers. Bulk copies fill a ring in shared memory with the next rows meanwhile. Warps send
// their maximum and sum of exponentials to both blocks of the cluster, and the thread that has the
// target's logit writes the loss.
//
// On an H200, `rows_65536`: 996.2 us, 4,312 GB/s (docs/measurements/h200-memory.txt).
// Up to 300,000 rows, whose targets have room in shared memory; COLS is 65536.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int VECTORS = 4;  // of 16 bytes, for each thread
constexpr int THREADS = 1024;
constexpr int CLUSTER = 2;  // blocks that share a row
constexpr int WARPS = CLUSTER * THREADS / 32;
constexpr int PARTIALS = WARPS / 32;  // for each lane of a warp
constexpr int SLICE = THREADS * VECTORS;
static_assert(COLS == 8 * CLUSTER * SLICE);

constexpr int MULTIPROCESSORS = 132;
constexpr int MOST_CLUSTERS = MULTIPROCESSORS / CLUSTER;
// No fewer than four rows for each cluster.
constexpr int CLUSTERS = MOST_CLUSTERS < (ROWS + 3) / 4 ? MOST_CLUSTERS : (ROWS + 3) / 4;
constexpr int ROWS_OF_CLUSTER = (ROWS + CLUSTERS - 1) / CLUSTERS;  // at most
// A stage is a vector for each thread, 16 KB: all that shared memory holds beside the targets.
constexpr int STAGES = 13;

using uint64_t = unsigned long long;

// Eight bf16, in pairs.
struct alignas(16) Vector {
  unsigned pair[4];
};
// Of a part of a row.
struct alignas(8) Partial {
  float max;
  float sum;  // of exp(x - max)
};
struct Shared {
  Vector ring[STAGES][THREADS];
  // Rows take the two buffers in turn. A warp writes a buffer again once it has read the other one,
  // for which every warp must have read this one.
  Partial partials[2][WARPS];
  uint64_t sent[2];       // all partials have arrived
  uint64_t full[STAGES];  // the stage's bytes have arrived
  int targets[ROWS_OF_CLUSTER];
};

AUTOKERNEL_LAUNCH({.kernel = "cross_entropy",
                   .grid = {CLUSTERS * CLUSTER},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared),
                   .cluster = {CLUSTER}});

__device__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000); }
__device__ __nv_bfloat162 as_bf162(unsigned pair) {
  return reinterpret_cast<const __nv_bfloat162&>(pair);
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
// To the same place of a block of the cluster, whose barrier counts the bytes.
__device__ void send(Partial* to, Partial partial, uint64_t* barrier, int block) {
  asm volatile(
      "{\n.reg .b32 there, barrier;\n"
      "mapa.shared::cluster.u32 there, %0, %2;\n"
      "mapa.shared::cluster.u32 barrier, %1, %2;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 "
      "[there], {%3, %4}, [barrier];\n}" ::"r"(shared_address(to)),
      "r"(shared_address(barrier)), "r"(block), "f"(partial.max), "f"(partial.sum)
      : "memory");
}

// ---- reductions -------------------------------------------------------------------------------
// Without the range checks of __expf: arguments are not positive.
__device__ float exp_of(float x) {
  constexpr float LOG2E = 1.44269504f;
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * LOG2E));
  return result;
}
// The same bits in each lane.
__device__ float sum_over_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
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
  float2 sums = {};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    for (int i = 0; i < 4; ++i) {
      sums.x += exp_of(low(row[v].pair[i]) - max);
      sums.y += exp_of(high(row[v].pair[i]) - max);
    }
  }
  return {max, sum_over_warp(sums.x + sums.y)};
}
// Row `i` of this cluster. Every warp combines the partials of all warps.
__device__ Partial reduce_cluster(Shared& shared, Partial mine, int i) {
  const int buffer = i % 2;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) expect(&shared.sent[buffer], sizeof shared.partials[buffer]);
  if (lane < CLUSTER) {
    const int to = blockIdx.x % CLUSTER * (THREADS / 32) + warp;
    send(&shared.partials[buffer][to], mine, &shared.sent[buffer], lane);
  }
  wait(&shared.sent[buffer], i / 2 % 2);
  Partial partials[PARTIALS];
  for (int p = 0; p < PARTIALS; ++p) partials[p] = shared.partials[buffer][p * 32 + lane];
  float max = partials[0].max;
  for (int p = 1; p < PARTIALS; ++p) max = fmaxf(max, partials[p].max);
  max = max_over_warp(max);
  float sum = 0;
  for (const Partial& partial : partials) sum += partial.sum * exp_of(partial.max - max);
  return {max, sum_over_warp(sum)};
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    cross_entropy(const Vector* x, const int* targets, float* loss) {
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
  for (int i = thread; i < rows; i += THREADS) shared.targets[i] = targets[first + i * CLUSTERS];
  __syncthreads();
  // The other block's barriers are there before anything is sent to it.
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");

  int stage = 0;
  int parity = 0;
#pragma unroll 1
  for (int i = 0; i < rows; ++i) {
    // From the first element of this block.
    const int target = shared.targets[i] - column * 8;
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
    const Partial all = reduce_cluster(shared, reduce_warp(row), i);
    // All threads have sent something, so all have read their vectors: the stages are free.
    if (thread == 0)
      for (int v = 0; v < VECTORS; ++v) load_piece(i * VECTORS + STAGES + v);
    if (target >= 0 && target / 8 < SLICE && target / 8 % THREADS == thread) {
      // Selected among all pairs: an index would move them to local memory.
      unsigned pair = 0;
#pragma unroll
      for (int v = 0; v < VECTORS; ++v)
        for (int j = 0; j < 4; ++j)
          if (v == target / 8 / THREADS && j == target / 2 % 4) pair = row[v].pair[j];
      const float logit = target % 2 == 0 ? low(pair) : high(pair);
      loss[first + i * CLUSTERS] = __logf(all.sum) + (all.max - logit);
    }
  }
}
