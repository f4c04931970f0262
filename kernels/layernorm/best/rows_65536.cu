// Layer norm of long rows: persistent clusters of two blocks, of which each holds half a row in
// registers. Bulk copies fill a ring in shared memory with the next rows meanwhile. Warps send
// their mean and squared distances from it to both blocks of the cluster, and these are combined
// there (Chan, Golub and LeVeque, 1979). The weights stay in registers and the bias in shared
// memory.
//
// On an H200, `rows_65536`: 2191.3 us, 3,920 GB/s (docs/measurements/h200-memory.txt).
// Any number of rows; COLS is 65536.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int VECTORS = 4;  // of 16 bytes, for each thread
constexpr int THREADS = 1024;
constexpr int CLUSTER = 2;  // blocks that share a row
constexpr int WARPS = CLUSTER * THREADS / 32;
constexpr int PARTIALS = WARPS / 32;     // for each lane of a warp
constexpr int WARP_COLS = COLS / WARPS;  // elements of a warp
constexpr int SLICE = THREADS * VECTORS;
static_assert(COLS == 8 * CLUSTER * SLICE);

constexpr int MULTIPROCESSORS = 132;
constexpr int MOST_CLUSTERS = MULTIPROCESSORS / CLUSTER;
// No fewer than four rows for each cluster.
constexpr int CLUSTERS = MOST_CLUSTERS < (ROWS + 3) / 4 ? MOST_CLUSTERS : (ROWS + 3) / 4;
// A stage is a vector for each thread, 16 KB: all that shared memory holds beside the bias.
constexpr int STAGES = 10;

using uint64_t = unsigned long long;

// Eight bf16, in pairs.
struct alignas(16) Vector {
  unsigned pair[4];
};
// Of a part of a row.
struct alignas(8) Partial {
  float mean;
  float squares;  // the sum of (x - mean)^2
};
// Rows take the two buffers in turn. A warp writes a buffer again once it has read the other one,
// for which every warp must have read this one.
struct Exchange {
  Partial partials[2][WARPS];
  uint64_t sent[2];  // all partials have arrived
};
struct Shared {
  Vector ring[STAGES][THREADS];
  Vector bias[SLICE];
  Exchange exchange;
  uint64_t full[STAGES];   // the stage's bytes have arrived
  unsigned taken[STAGES];  // so many warps have read their part of the stage
};

AUTOKERNEL_LAUNCH({.kernel = "layernorm",
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

// Whether this warp is the last one to read the stage; the count then begins anew.
__device__ bool is_last(unsigned* taken) {
  constexpr unsigned LAST = THREADS / 32 - 1;
  unsigned before;
  asm volatile("atom.acq_rel.cta.shared::cta.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(shared_address(taken)), "r"(LAST)
               : "memory");
  return before == LAST;
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
__device__ void send(Partial* to, Partial partial, uint64_t* barrier, int block) {
  asm volatile(
      "{\n.reg .b32 there, barrier;\n"
      "mapa.shared::cluster.u32 there, %0, %2;\n"
      "mapa.shared::cluster.u32 barrier, %1, %2;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 "
      "[there], {%3, %4}, [barrier];\n}" ::"r"(shared_address(to)),
      "r"(shared_address(barrier)), "r"(block), "f"(partial.mean), "f"(partial.squares)
      : "memory");
}

// ---- reductions -------------------------------------------------------------------------------
// The same bits in each lane.
__device__ float sum_over_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(~0u, value, distance);
  return value;
}
// Has the compiler unpack the values again, in place of keeping them in twice as many registers.
__device__ void forget_unpacked(Vector (&row)[VECTORS]) {
#pragma unroll
  for (Vector& vector : row)
    for (unsigned& pair : vector.pair) asm("" : "+r"(pair));
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
  const float mean = sum_over_warp(sums.x + sums.y) * (1.0f / WARP_COLS);
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
  return {mean, sum_over_warp(squares.x + squares.y)};
}
// Row `i` of this cluster. Every warp combines the partials of all warps. A part's squares from the
// mean of the row are those from its own mean, and its distance for each element.
__device__ Partial reduce_cluster(Exchange& exchange, Partial mine, int i) {
  const int buffer = i % 2;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) expect(&exchange.sent[buffer], sizeof exchange.partials[buffer]);
  if (lane < CLUSTER) {
    const int to = blockIdx.x % CLUSTER * (THREADS / 32) + warp;
    send(&exchange.partials[buffer][to], mine, &exchange.sent[buffer], lane);
  }
  wait(&exchange.sent[buffer], i / 2 % 2);
  Partial partials[PARTIALS];
  for (int p = 0; p < PARTIALS; ++p) partials[p] = exchange.partials[buffer][p * 32 + lane];
  float mean = 0;
  for (int p = 0; p < PARTIALS; ++p) mean += partials[p].mean;
  mean = sum_over_warp(mean) * (1.0f / WARPS);
  float squares = 0;
  for (int p = 0; p < PARTIALS; ++p) {
    const float d = partials[p].mean - mean;
    squares += partials[p].squares + d * d * WARP_COLS;
  }
  return {mean, sum_over_warp(squares)};
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    layernorm(const Vector* x, const Vector* weight, const Vector* bias, Vector* y, float epsilon) {
  extern __shared__ Vector memory[];
  Shared& shared = reinterpret_cast<Shared&>(*memory);
  const int thread = threadIdx.x;
  const int column = blockIdx.x % CLUSTER * SLICE;  // in vectors
  const int first = blockIdx.x / CLUSTER;
  const int rows = (ROWS - first + CLUSTERS - 1) / CLUSTERS;
  if (thread == 0) {
    for (int s = 0; s < STAGES; ++s) init(&shared.full[s]);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  if (thread < STAGES) shared.taken[thread] = 0;
  // Apart from the others and without a loop: else NVRTC 13.0 spills a register in the main loop,
  // which costs 4 %.
  if (thread == 0) {
    init(&shared.exchange.sent[0]);
    init(&shared.exchange.sent[1]);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncwarp();
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  __syncthreads();

  // By one thread. Pieces are counted from the block's first row on, VECTORS for each row.
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
  Vector weights[VECTORS];
  for (int v = 0; v < VECTORS; ++v) weights[v] = weight[column + v * THREADS + thread];
  for (int v = thread; v < SLICE; v += THREADS) shared.bias[v] = bias[column + v];
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
      __syncwarp();
      if (thread % 32 == 0 && is_last(&shared.taken[stage])) load_piece(i * VECTORS + v + STAGES);
      if (++stage == STAGES) {
        stage = 0;
        parity ^= 1;
      }
    }
    const auto [mean, squares] = reduce_cluster(shared.exchange, reduce_warp(row), i);
    forget_unpacked(row);
    const float scale = rsqrtf(squares * (1.0f / COLS) + epsilon);
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      const Vector biases = shared.bias[v * THREADS + thread];
      Vector result;
      for (int j = 0; j < 4; ++j) {
        const float first = (low(row[v].pair[j]) - mean) * scale * low(weights[v].pair[j]);
        const float second = (high(row[v].pair[j]) - mean) * scale * high(weights[v].pair[j]);
        result.pair[j] = pack(first + low(biases.pair[j]), second + high(biases.pair[j]));
      }
      store(y + at + v * THREADS, result);
    }
  }
}
