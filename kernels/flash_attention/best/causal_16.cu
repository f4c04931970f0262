// softmax(q k^T * scale) v of each head with a causal mask, on a Hopper GPU, in the manner of
// FlashAttention-3 (Shah et al., arXiv:2407.08608). A producer thread brings tiles by tensor
// copies, and two warpgroups of 64 queries each multiply them with wgmma. They take turns at the
// tensor cores, and each computes the softmax of one tile while the products of the next are under
// way. What goes beyond that:
// - Sums are rescaled only after a maximum has grown by 2^8.
// - Queries stay in registers, so that wgmma reads them from shared memory only once.
// - The two blocks of a cluster work on the same head, and share keys and values by multicast.
// - A block for each tile of queries, in place of persistent ones: those with the most keys come
//   first, and short ones fill the gaps at the end.
//
// On an H200, `causal_16`: 1510.6 us, 728 TFLOP/s, where the mask counts as half
// (docs/measurements/h200-attention.txt).
// BATCH is 1, DIM 128; any number of queries, keys and heads, and any FIRST_SEES below KEYS.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int WARPGROUPS = 2;        // each has 64 queries of a tile
constexpr int BM = 64 * WARPGROUPS;  // queries of a tile
constexpr int BN = 128;              // keys of a tile
constexpr int D = 128;
constexpr int STAGES = 2;   // tiles of keys, and tiles of values, under way
constexpr int SLACK = 8;    // sums are rescaled once a maximum has grown by 2^SLACK
constexpr int CLUSTER = 2;  // blocks that share what they load of k and v
constexpr int THREADS = (WARPGROUPS + 1) * 128;
// Of a thread: those of the producer's warpgroup go to the others.
constexpr int PRODUCER_REGISTERS = 40;
constexpr int CONSUMER_REGISTERS = 232;
static_assert(BATCH == 1 && DIM == D && HEADS % KV_HEADS == 0);
static_assert(FIRST_SEES < KEYS);

// ---- who does what ----------------------------------------------------------------------------
// A tile of a cluster is BM * CLUSTER queries of a head.
constexpr int ROW_TILES = (QUERIES + BM * CLUSTER - 1) / (BM * CLUSTER);
constexpr int TILES = ROW_TILES * HEADS;
constexpr int GROUP = HEADS % 2 == 0 ? 2 : 1;  // heads that are at work at a time

using bf16 = __nv_bfloat16;
using uint32_t = unsigned;
using uint64_t = unsigned long long;

// Tiles have rows of 64 elements, 128 bytes with the widest swizzle, one half of DIM behind the
// other.
struct alignas(1024) Shared {
  bf16 q[WARPGROUPS][2][64 * 64];
  bf16 k[STAGES][2][BN * 64];
  bf16 v[STAGES][2][BN * 64];
  bf16 o[WARPGROUPS][2][64 * 64];
  uint64_t q_full[WARPGROUPS];
  uint64_t k_full[STAGES], k_empty[STAGES];
  uint64_t v_full[STAGES], v_empty[STAGES];
};
constexpr uint32_t AT_K = sizeof(Shared::q);  // places in Shared
constexpr uint32_t AT_V = AT_K + sizeof(Shared::k);

AUTOKERNEL_LAUNCH({.kernel = "flash_attention",
                   .grid = {TILES * CLUSTER},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared),
                   .cluster = {CLUSTER}});
// Both halves of a head's DIM, each as a matrix of 64 columns.
AUTOKERNEL_TENSOR_MAP(map_q,
                      {.tensor = "q",
                       .box = {64, 64, 2},
                       .swizzle = 128,
                       .l2_promotion = 256,
                       .view = {.dims = {64, QUERIES, 2 * HEADS}, .strides = {HEADS * D, 64}}});
AUTOKERNEL_TENSOR_MAP(map_k,
                      {.tensor = "k",
                       .box = {64, BN, 2 / CLUSTER},
                       .swizzle = 128,
                       .l2_promotion = 256,
                       .view = {.dims = {64, KEYS, 2 * KV_HEADS}, .strides = {KV_HEADS * D, 64}}});
AUTOKERNEL_TENSOR_MAP(map_v,
                      {.tensor = "v",
                       .box = {64, BN, 2 / CLUSTER},
                       .swizzle = 128,
                       .l2_promotion = 256,
                       .view = {.dims = {64, KEYS, 2 * KV_HEADS}, .strides = {KV_HEADS * D, 64}}});
AUTOKERNEL_TENSOR_MAP(map_o,
                      {.tensor = "o",
                       .box = {64, 64, 2},
                       .swizzle = 128,
                       .view = {.dims = {64, QUERIES, 2 * HEADS}, .strides = {HEADS * D, 64}}});

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// ---- barriers: `parity` is that of the phase waited for ---------------------------------------
__device__ void init(uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals));
}
__device__ void expect(uint64_t* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ void arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// At the barrier in the same place of another block of the cluster.
__device__ void arrive(uint64_t* barrier, uint32_t block) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(barrier)),
      "r"(block)
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
// `.relaxed`, since `.release` would be a fence for the whole device.
__device__ void meet_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                   : "memory");
}
// Named barriers: 1 and 2 are the turns at the tensor cores, 3 and 4 of a warpgroup alone.
__device__ void take_turn(int warpgroup) {
  asm volatile("bar.sync %0, 256;" ::"r"(1 + warpgroup) : "memory");
}
__device__ void give_turn(int warpgroup) {
  const int next = warpgroup + 1 == WARPGROUPS ? 0 : warpgroup + 1;
  asm volatile("bar.arrive %0, 256;" ::"r"(1 + next) : "memory");
}
__device__ void meet_warpgroup(int warpgroup) {
  asm volatile("bar.sync %0, 128;" ::"r"(1 + WARPGROUPS + warpgroup) : "memory");
}

// ---- tensor copies ----------------------------------------------------------------------------
__device__ void load(bf16* to, const CUtensorMap& map, int y, int z, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(0), "r"(y), "r"(z), "r"(shared_address(barrier))
      : "memory");
}
// Into the same place of both blocks of the cluster.
__device__ void load_both(bf16* to, const CUtensorMap& map, int y, int z, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(&map), "r"(0), "r"(y), "r"(z), "r"(shared_address(barrier)),
      "h"(short((1 << CLUSTER) - 1))
      : "memory");
}
__device__ void store(const CUtensorMap& map, const bf16* from, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
      "r"(0), "r"(y), "r"(z), "r"(shared_address(from))
      : "memory");
}

// ---- wgmma ------------------------------------------------------------------------------------
#define READ_WRITE_8(d, i)                                                                    \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])

// Of a tile `offset` bytes into Shared, which begins at 1024. Eight rows follow each other in 1024
// bytes; `halves` is the distance of the next 64 columns.
__device__ constexpr uint64_t descriptor(uint32_t offset, int halves) {
  return uint64_t((1024 + offset) >> 4 | (halves >> 4) << 16) | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}
__device__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// All products but the latest PENDING groups are done. What they change is named, so that the
// compiler reads it no earlier.
template <int PENDING>
__device__ __forceinline__ void wait_products(float (&d)[64]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#pragma unroll
  for (int i = 0; i < 64; i += 8) asm volatile("" : READ_WRITE_8(d, i)::"memory");
}

// S = Q x K^T + (add ? S : 0) of 64 x 128 x 16: Q in registers, K with DIM innermost.
__device__ __forceinline__ void multiply_scores(float (&s)[64], const uint32_t* a, uint64_t b,
                                                int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, add, 1, 1, 0;\n}"
      : READ_WRITE_8(s, 0), READ_WRITE_8(s, 8), READ_WRITE_8(s, 16), READ_WRITE_8(s, 24),
        READ_WRITE_8(s, 32), READ_WRITE_8(s, 40), READ_WRITE_8(s, 48), READ_WRITE_8(s, 56)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
// O += P x V of 64 x 128 x 16: P in registers, V with DIM innermost (the last 1: transposed).
__device__ __forceinline__ void multiply_values(float (&o)[64], const uint32_t* a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
      : READ_WRITE_8(o, 0), READ_WRITE_8(o, 8), READ_WRITE_8(o, 16), READ_WRITE_8(o, 24),
        READ_WRITE_8(o, 32), READ_WRITE_8(o, 40), READ_WRITE_8(o, 48), READ_WRITE_8(o, 56)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// ---- tiles ------------------------------------------------------------------------------------
// A tile of queries of a block, and so many tiles of keys, of which the last come first.
struct Tile {
  int head, row;
  int end;
};
__device__ int tiles_seen(int rows) { return (min(KEYS, FIRST_SEES + rows - 1) + BN - 1) / BN; }
// The longest come first, a group of heads at a time.
__device__ Tile tile_of_block() {
  const int rank = blockIdx.x % CLUSTER;
  const int index = blockIdx.x / CLUSTER;
  const int group = index / (ROW_TILES * GROUP);
  const int rest = index % (ROW_TILES * GROUP);
  const int row = (ROW_TILES - 1 - rest / GROUP) * BM * CLUSTER;
  return {group * GROUP + rest % GROUP, row + rank * BM, tiles_seen(row + BM * CLUSTER)};
}
struct Ring {
  int stage = 0;
  int phase = 0;
  __device__ void next() {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  }
};

// ---- the thread that loads --------------------------------------------------------------------
// A tile of keys or values: each block brings one half of DIM to both.
__device__ void bring(bf16 (*to)[BN * 64], const CUtensorMap& map, int key, int head, int rank,
                      uint64_t* barrier) {
  expect(barrier, 2 * BN * 64 * sizeof(bf16));
  load_both(to[rank], map, key, 2 * head + rank, barrier);
}
__device__ void produce(Shared& shared, const CUtensorMap& map_q, const CUtensorMap& map_k,
                        const CUtensorMap& map_v, int rank) {
  Ring k, v;
  const Tile tile = tile_of_block();
  const int head = tile.head / (HEADS / KV_HEADS);
  // Values come one tile later than keys, as they are needed.
#pragma unroll 1
  for (int i = 0; i <= tile.end; ++i) {
    if (i < tile.end) {
      wait(&shared.k_empty[k.stage], k.phase ^ 1);
      bring(shared.k[k.stage], map_k, (tile.end - 1 - i) * BN, head, rank, &shared.k_full[k.stage]);
      k.next();
    }
    if (i == 0) {
      for (int w = 0; w < WARPGROUPS; ++w) {
        expect(&shared.q_full[w], sizeof(shared.q[w]));
        load(shared.q[w][0], map_q, tile.row + w * 64, 2 * tile.head, &shared.q_full[w]);
      }
    } else {
      wait(&shared.v_empty[v.stage], v.phase ^ 1);
      bring(shared.v[v.stage], map_v, (tile.end - i) * BN, head, rank, &shared.v_full[v.stage]);
      v.next();
    }
  }
}

// ---- the warpgroups that multiply -------------------------------------------------------------
__device__ float power_of_2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(pair);
}

// What a thread has of a tile: two rows, eight apart, and of each two of every eight columns.
struct Consumer {
  Shared& shared;
  const int warpgroup;
  const float scale;  // with the logarithm of e: weights are powers of 2
  Ring k, v;
  float s[BN / 2];     // scores, then weights
  uint32_t p[BN / 4];  // weights in bf16
  float o[64];         // sums of values
  uint32_t q[32];
  float most[2];    // of the scores, scaled
  float total[2];   // of the thread's weights
  float shrink[2];  // what a new maximum makes of sums so far
  bool grown;       // a maximum has, by more than SLACK

  // Both blocks may overwrite the stage.
  __device__ __forceinline__ void release(uint64_t* barrier) {
    const int thread = threadIdx.x % 128;
    if (thread < CLUSTER) arrive(barrier, thread);
  }
  __device__ __forceinline__ void read_queries() {
    const int lane = threadIdx.x % 32;
    const int row = threadIdx.x % 128 / 32 * 16 + lane % 16;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int chunk = (i % 4 * 2 + lane / 16) ^ (row % 8);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(q[4 * i]), "=r"(q[4 * i + 1]), "=r"(q[4 * i + 2]), "=r"(q[4 * i + 3])
                   : "r"(shared_address(&shared.q[warpgroup][i / 4][row * 64 + chunk * 8]))
                   : "memory");
    }
  }
  __device__ __forceinline__ void begin_scores() {
    const uint32_t stage = k.stage * sizeof(shared.k[0]);
#pragma unroll
    for (int i = 0; i < D / 16; ++i) {
      const uint64_t b = descriptor(AT_K + i / 4 * (BN * 128) + i % 4 * 32, 0) + (stage >> 4);
      multiply_scores(s, q + 4 * i, b, i > 0);
    }
    end_products();
  }
  __device__ __forceinline__ void begin_values() {
    const uint32_t stage = v.stage * sizeof(shared.v[0]);
#pragma unroll
    for (int i = 0; i < BN / 16; ++i) {
      multiply_values(o, p + 4 * i, descriptor(AT_V + i * (16 * 128), BN * 128) + (stage >> 4));
    }
    end_products();
  }
  // Scores of keys that a query does not see.
  __device__ __forceinline__ void mask(int first_key, int row) {
    const int lane = threadIdx.x % 32;
    const int key = first_key + lane % 4 * 2;
    const int query = row + threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int seen = min(KEYS, FIRST_SEES + query + 8 * r) - key;
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) {
        if (8 * j >= seen) s[4 * j + 2 * r] = -CUDART_INF_F;
        if (8 * j + 1 >= seen) s[4 * j + 2 * r + 1] = -CUDART_INF_F;
      }
    }
  }
  // Scores become weights. `most`, `total` and `shrink` are brought up to date; `o` is not.
  template <bool FIRST>
  __device__ __forceinline__ void weigh() {
    float highest[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float even = s[2 * r];
      float odd = s[2 * r + 1];
#pragma unroll
      for (int j = 1; j < BN / 8; ++j) {
        even = fmaxf(even, s[4 * j + 2 * r]);
        odd = fmaxf(odd, s[4 * j + 2 * r + 1]);
      }
      float value = fmaxf(even, odd);
      value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
      value = fmaxf(value, __shfl_xor_sync(~0u, value, 2));
      highest[r] = value * scale;
    }
    grown = FIRST || __any_sync(~0u, highest[0] > most[0] + SLACK || highest[1] > most[1] + SLACK);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if constexpr (FIRST) {
        most[r] = highest[r];
        // Nothing is seen yet.
        if (most[r] == -CUDART_INF_F) most[r] = 0;
      } else {
        const float now = grown ? fmaxf(most[r], highest[r]) : most[r];
        shrink[r] = power_of_2(most[r] - now);
        most[r] = now;
      }
      float even = 0;
      float odd = 0;
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) {
        s[4 * j + 2 * r] = power_of_2(__fmaf_rn(s[4 * j + 2 * r], scale, -most[r]));
        s[4 * j + 2 * r + 1] = power_of_2(__fmaf_rn(s[4 * j + 2 * r + 1], scale, -most[r]));
        even += s[4 * j + 2 * r];
        odd += s[4 * j + 2 * r + 1];
      }
      total[r] = FIRST ? even + odd : total[r] * shrink[r] + (even + odd);
    }
  }
  __device__ __forceinline__ void round_weights() {
#pragma unroll
    for (int i = 0; i < BN / 4; ++i) p[i] = pack(s[2 * i], s[2 * i + 1]);
  }
  __device__ __forceinline__ void rescale() {
    if (!grown) return;
#pragma unroll
    for (int i = 0; i < 64; ++i) o[i] *= shrink[i / 2 % 2];
  }

  // Tile `t` of keys, with the products of the values of the one before.
  template <bool MASKED>
  __device__ __forceinline__ void step(int t, int row) {
    wait(&shared.k_full[k.stage], k.phase);
    take_turn(warpgroup);
    begin_products();
    begin_scores();
    wait(&shared.v_full[v.stage], v.phase);
    begin_products();
    begin_values();
    give_turn(warpgroup);
    wait_products<1>(s);
    release(&shared.k_empty[k.stage]);
    if constexpr (MASKED) mask(t * BN, row);
    weigh<false>();
    // Has come, but depends on all weights: no compiler moves the next line before them.
    wait(&shared.v_full[v.stage], total[0] + total[1] < 0 ? v.phase ^ 1 : v.phase);
    wait_products<0>(o);
    release(&shared.v_empty[v.stage]);
    k.next();
    v.next();
    round_weights();
    rescale();
  }

  __device__ __forceinline__ void run(const Tile& tile, const CUtensorMap& map_o) {
    const int row = tile.row + warpgroup * 64;
    const int whole = min(KEYS, FIRST_SEES + row) / BN;  // tiles that all of its queries see
    // Tiles of which this block sees nothing, but the other one does.
    const int own = min(tile.end, tiles_seen(tile.row + BM));
    for (int t = tile.end; t > own; --t) {
      wait(&shared.k_full[k.stage], k.phase);
      release(&shared.k_empty[k.stage]);
      k.next();
      wait(&shared.v_full[v.stage], v.phase);
      release(&shared.v_empty[v.stage]);
      v.next();
    }
    read_queries();
    int t = own - 1;
    wait(&shared.k_full[k.stage], k.phase);
    begin_products();
    begin_scores();
    wait_products<0>(s);
    release(&shared.k_empty[k.stage]);
    k.next();
    if (t >= whole) mask(t * BN, row);
    weigh<true>();
    round_weights();
#pragma unroll
    for (int i = 0; i < 64; ++i) o[i] = 0;
    --t;
    // Of aligned tiles only the first is masked.
    if constexpr (BN % BM != 0 || (FIRST_SEES - 1) % BN != 0) {
#pragma unroll 1
      for (; t >= whole; --t) step<true>(t, row);
    }
#pragma unroll 1
    for (; t >= 0; --t) step<false>(t, row);
    wait(&shared.v_full[v.stage], v.phase);
    begin_products();
    begin_values();
    wait_products<0>(o);
    release(&shared.v_empty[v.stage]);
    v.next();
    write(map_o, row, 2 * tile.head);
  }
  // The sums over the weights' total, as bf16, by way of shared memory.
  __device__ __forceinline__ void write(const CUtensorMap& map_o, int row, int half) {
    bf16* tile = shared.o[warpgroup][0];
    const int thread = threadIdx.x % 128;
    const int lane = thread % 32;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      total[r] += __shfl_xor_sync(~0u, total[r], 1);
      total[r] += __shfl_xor_sync(~0u, total[r], 2);
      total[r] = __fdividef(1, total[r]);
    }
    const int to = thread / 32 * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < 16; j += 2) {
      uint32_t pairs[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        pairs[i] = pack(o[4 * j + 2 * i] * total[i % 2], o[4 * j + 2 * i + 1] * total[i % 2]);
      const int chunk = (j % 8 + lane / 16) ^ (to % 8);
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                       shared_address(tile + j / 8 * (64 * 64) + to * 64 + chunk * 8)),
                   "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                   : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    meet_warpgroup(warpgroup);
    if (thread == 0) {
      store(map_o, tile, row, half);
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    flash_attention(const bf16*, const bf16*, const bf16*, bf16*, float scale,
                    const __grid_constant__ CUtensorMap map_q,
                    const __grid_constant__ CUtensorMap map_k,
                    const __grid_constant__ CUtensorMap map_v,
                    const __grid_constant__ CUtensorMap map_o) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
  const int rank = blockIdx.x % CLUSTER;

  if (threadIdx.x == 0) {
    for (int w = 0; w < WARPGROUPS; ++w) init(&shared.q_full[w], 1);
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.k_full[s], 1);
      init(&shared.v_full[s], 1);
      init(&shared.k_empty[s], WARPGROUPS * CLUSTER);
      init(&shared.v_empty[s], WARPGROUPS * CLUSTER);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    // What the descriptors assume. Naming the end of the kilobyte that is reserved makes the
    // emulated device reserve it, too.
    uint32_t reserved;
    asm volatile("mov.b32 %0, %%reserved_smem_offset_end;" : "=r"(reserved));
    if (reserved > 1024 || (shared_address(memory) & 0xFFFFFF) != 1024) __trap();
  }
  __syncthreads();
  meet_cluster();

  if (warpgroup == WARPGROUPS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
    if (threadIdx.x == WARPGROUPS * 128) produce(shared, map_q, map_k, map_v, rank);
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
    Consumer consumer{shared, warpgroup, scale * 1.4426950408889634f};
    if (warpgroup == WARPGROUPS - 1) give_turn(warpgroup);
    wait(&shared.q_full[warpgroup], 0);
    consumer.run(tile_of_block(), map_o);
    // The last of them has given a turn that nobody takes.
    if (warpgroup == 0) take_turn(warpgroup);
    if (threadIdx.x % 128 == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    __syncwarp();
  }
  // No block ends while another may still write into its shared memory.
  meet_cluster();
}
