// Sums of columns: each block adds up part of the rows of 4096 columns, a second launch the parts.
// A warp keeps a ring in shared memory full of rows by bulk copies, and eight warps add them up.
//
// On an H200, `elements_2_30`: 944.4 us, 4,548 GB/s; `wide`: 941.3 us, 4,563 GB/s
// (docs/measurements/h200-memory.txt).
// At least 16 rows; COLS a multiple of 4096.
#include <autokernel.cuh>

constexpr int THREADS = 256;  // that add, and a warp that loads
constexpr int WARPS = THREADS / 32;
constexpr int VECTORS = 4;               // of a row, for each thread
constexpr int TILE = THREADS * VECTORS;  // vectors of a row, for each block
constexpr int TILES = COLS / 4 / TILE;   // of a row
constexpr int STAGES = 14;               // of 16 KB: all that shared memory holds
constexpr int CHAIN = 32;                // rows that are added one after the other
constexpr int MOST_PARTS = 132 / TILES;  // a block for each multiprocessor
constexpr int PARTS = MOST_PARTS < ROWS / 16 ? MOST_PARTS : ROWS / 16;
constexpr int GROUPS = 16;  // of parts, of the second launch
static_assert(COLS == 4 * TILE * TILES && PARTS > 0);

using uint64_t = unsigned long long;

struct alignas(16) Vector {
  float f[4];
};
struct Shared {
  Vector ring[STAGES][TILE];  // a row of the tile
  uint64_t full[STAGES];      // its bytes have arrived
  uint64_t empty[STAGES];     // all warps have read it
};

AUTOKERNEL_LAUNCH(
    {.kernel = "sum_parts",
     .grid = {TILES, PARTS},
     .block = {THREADS + 32},
     .shared_bytes = sizeof(Shared)},
    {.kernel = "add_parts", .grid = {COLS / 128}, .block = {32, GROUPS}, .programmatic = true});
AUTOKERNEL_WORKSPACE(4LL * PARTS * COLS);

__device__ void add(Vector& to, const Vector& v) {
  for (int i = 0; i < 4; ++i) to.f[i] += v.f[i];
}
__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// ---- mbarriers: `parity` is that of the phase waited for --------------------------------------
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
__device__ void wait(uint64_t* barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
          shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__device__ void load_bulk(Vector* to, const Vector* from, int bytes, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

// Of every PARTSth row, from the block's first one on.
extern "C" __global__ void __launch_bounds__(THREADS + 32, 1)
    sum_parts(const Vector* x, Vector*, Vector* parts) {
  extern __shared__ Vector memory[];
  Shared& shared = reinterpret_cast<Shared&>(*memory);
  asm volatile("griddepcontrol.launch_dependents;");
  const int first = blockIdx.y;
  const int rows = (ROWS - first + PARTS - 1) / PARTS;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.full[s], 1);
      init(&shared.empty[s], WARPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();

  int stage = 0;
  int parity = 0;
  const auto next = [&] {
    if (++stage < STAGES) return;
    stage = 0;
    parity ^= 1;
  };
  if (threadIdx.x >= THREADS) {
    if (threadIdx.x > THREADS) return;
    x += blockIdx.x * TILE;
    for (int i = 0; i < rows; ++i, next()) {
      wait(&shared.empty[stage], parity ^ 1);
      expect(&shared.full[stage], sizeof shared.ring[stage]);
      load_bulk(shared.ring[stage], x + (first + static_cast<long long>(i) * PARTS) * (COLS / 4),
                sizeof shared.ring[stage], &shared.full[stage]);
    }
    return;
  }

  // In two levels: one chain of additions in fp32 would be less exact than the reference.
  Vector chain[VECTORS] = {};
  Vector sums[VECTORS] = {};
  for (int i = 0; i < rows; ++i, next()) {
    wait(&shared.full[stage], parity);
    for (int v = 0; v < VECTORS; ++v) add(chain[v], shared.ring[stage][v * THREADS + threadIdx.x]);
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&shared.empty[stage]);
    if (i % CHAIN < CHAIN - 1 && i < rows - 1) continue;
    for (int v = 0; v < VECTORS; ++v) {
      add(sums[v], chain[v]);
      chain[v] = {};
    }
  }
  parts += blockIdx.y * (COLS / 4) + blockIdx.x * TILE + threadIdx.x;
  for (int v = 0; v < VECTORS; ++v) parts[v * THREADS] = sums[v];
}

// Each group of threads adds up every GROUPSth part, and the first one the sums of all groups.
extern "C" __global__ void __launch_bounds__(32 * GROUPS)
    add_parts(const Vector*, Vector* sums, const Vector* parts) {
  __shared__ Vector of_group[GROUPS][32];
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const int column = blockIdx.x * 32 + threadIdx.x;  // in vectors
  Vector sum = {};
#pragma unroll 8
  for (int part = threadIdx.y; part < PARTS; part += GROUPS)
    add(sum, parts[part * (COLS / 4) + column]);
  of_group[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int group = 1; group < GROUPS; ++group) add(sum, of_group[group][threadIdx.x]);
  sums[column] = sum;
}
