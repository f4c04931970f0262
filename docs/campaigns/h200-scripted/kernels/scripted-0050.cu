// early first=2 slices=1 tail=3
// C = A x B on a Hopper GPU, one tile for each block. A warp requests tiles by tensor copies, which
// first fetch their maps; until then the workers multiply what they copy by themselves.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 64;
constexpr int BN = 128;
constexpr int BK = 64;  // 128 bytes, the widest swizzle
constexpr int STEPS = K / BK;
constexpr int STAGES = STEPS < 8 ? STEPS : 8;
constexpr int GROUPS = 1;  // warpgroups that multiply
constexpr int WORKERS = GROUPS * 128;
constexpr int THREADS = WORKERS + 32;  // and a warp that requests tiles
constexpr int WN = BN;  // columns of a warpgroup, which has 64 rows
constexpr int FIRST = STAGES < 2 ? STAGES : 2;  // stages that the workers bring
// Steps at the end that are done for half of the columns first.
constexpr int TAIL = STEPS - 2 < 3 ? STEPS - 2 : 3;
static_assert(M % BM == 0 && N % BN == 0 && K % BK == 0);

struct Stage {
  __nv_bfloat16 a[BM * BK];
  __nv_bfloat16 b[BN / 64][BK * 64];  // a tensor copy with this swizzle is 64 columns wide
};
struct alignas(1024) Shared {
  Stage stages[STAGES];
  __nv_bfloat16 c[GROUPS * 4][16 * WN / 2];  // what a warp writes
  unsigned long long full[STAGES];   // the stage's tiles have arrived
  unsigned long long empty[STAGES];  // the warpgroups are through with them
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BN, M / BM},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared)});
AUTOKERNEL_TENSOR_MAP(map_a, {.tensor = "A", .box = {BK, BM}, .swizzle = 128});
// B as slabs of 64 columns, so that one copy brings all of its tile.
AUTOKERNEL_TENSOR_MAP(map_b, {.tensor = "B",
                              .box = {64, BK, BN / 64},
                              .swizzle = 128,
                              .view = {.dims = {64, K, N / 64}, .strides = {N, 64}}});

using bf16 = __nv_bfloat16;
using uint32_t = unsigned;
using uint64_t = unsigned long long;

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
__device__ void wait(uint64_t* barrier, int parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
          shared_address(barrier)),
      "r"(parity)
      : "memory");
}
__device__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// Of `threads` threads, by the block's barrier of that number.
template <int number, int threads>
__device__ void meet() {
  asm volatile("bar.sync %0, %1;" ::"n"(number), "n"(threads) : "memory");
}

// Whether this thread is the one of its warp that acts for all. Unlike with `threadIdx.x % 32 ==
// 0`, the compiler knows that it is one thread, and needs no loop around each tensor copy.
__device__ bool elect() {
  uint32_t elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(elected));
  return elected;
}

// ---- copies -----------------------------------------------------------------------------------
__device__ void load(bf16* to, const CUtensorMap& map, int x, int y, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}
__device__ void load(bf16* to, const CUtensorMap& map, int x, int y, int z, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
      : "memory");
}
// 16 bytes, past the L1.
__device__ void copy(uint32_t to, const bf16* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
               : "memory");
}
// ROWS x PARTS rows of 64 elements: eight lanes bring a row, and swizzle it as a tensor copy does.
constexpr int ROWS = WORKERS / 8;
template <int PARTS>
__device__ void copy_rows(bf16* to, const bf16* from, int stride, uint32_t thread) {
  const uint32_t row = thread / 8;
  const uint32_t there = shared_address(to) + row * 128 + (thread % 8 ^ row % 8) * 16;
  const bf16* here = from + (row * stride + thread % 8 * 8);
#pragma unroll
  for (int i = 0; i < PARTS; ++i) copy(there + i * ROWS * 128, here + i * ROWS * stride);
}
__device__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until all but the newest `left` groups of this thread's copies have arrived.
__device__ __forceinline__ void wait_copies(int left) {
  if (left == 0) asm volatile("cp.async.wait_group 0;" ::: "memory");
  if (left == 1) asm volatile("cp.async.wait_group 1;" ::: "memory");
  if (left == 2) asm volatile("cp.async.wait_group 2;" ::: "memory");
  if (left == 3) asm volatile("cp.async.wait_group 3;" ::: "memory");
  if (left == 4) asm volatile("cp.async.wait_group 4;" ::: "memory");
  if (left == 5) asm volatile("cp.async.wait_group 5;" ::: "memory");
  if (left == 6) asm volatile("cp.async.wait_group 6;" ::: "memory");
  if (left == 7) asm volatile("cp.async.wait_group 7;" ::: "memory");
}

// ---- wgmma ------------------------------------------------------------------------------------
// Of a tile `offset` bytes into Shared whose rows are 128 bytes, swizzled. Eight rows follow each
// other in 1024 bytes; `columns` is the distance in bytes of the next 64 columns. Shared begins at
// 1024, as `matmul` checks: so descriptors are constants.
__device__ constexpr uint64_t descriptor(uint32_t offset, int columns) {
  return uint64_t((1024 + offset) >> 4) | uint64_t(columns >> 4) << 16 | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}
// Eight sums of a thread.
#define D8(i)                                                                                 \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
// D = A x B + (add ? D : 0) of 64 x 64 x 16: A has K, B has N innermost.
__device__ __forceinline__ void multiply(float* d, uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      " %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, "
      " %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, add, 1, 1, 0, 1;\n}"
      : D8(0), D8(8), D8(16), D8(24)
      : "l"(a), "l"(b), "r"(add));
}

// ---- the end ----------------------------------------------------------------------------------
__device__ uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(pair);
}
// The 16 rows of a warp, by way of its own shared memory: then whole rows are written. No other
// warp is waited for. Chunks of 16 bytes are swizzled against bank conflicts.
template <int COLUMNS>
__device__ __forceinline__ void write_rows(bf16* to, bf16* tile, const float* d, int lane) {
  constexpr int CHUNKS = COLUMNS / 8;
  const int row = lane % 16;
  const uint32_t chunk = shared_address(tile + row * COLUMNS + (lane / 16 ^ row % 8) * 8);
#pragma unroll
  for (int j = 0; j < CHUNKS; j += 2) {
    const float* e = d + 4 * j;
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(chunk ^ (j * 16)),
        "r"(pack(e[0], e[1])), "r"(pack(e[2], e[3])), "r"(pack(e[4], e[5])), "r"(pack(e[6], e[7]))
        : "memory");
  }
  __syncwarp();
  to += lane / CHUNKS * N + lane % CHUNKS * 8;
#pragma unroll
  for (int i = 0; i < 16; i += 32 / CHUNKS) {
    const int from = i + lane / CHUNKS;
    *reinterpret_cast<uint4*>(to + i * N) = *reinterpret_cast<const uint4*>(
        tile + from * COLUMNS + (lane % CHUNKS ^ from % 8) * 8);
  }
  __syncwarp();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const bf16* A, const bf16* B, bf16* C,
           const __grid_constant__ CUtensorMap map_a,
           const __grid_constant__ CUtensorMap map_b) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const uint32_t thread = threadIdx.x;
  const uint32_t row = blockIdx.y * BM;
  const uint32_t column = blockIdx.x * BN;
  const uint32_t group = __shfl_sync(~0u, thread / 128, 0);
  const auto depth = [&](int step) { return step * BK; };

  if (group == GROUPS) {
    const auto bring = [&](int step) {
      Stage& stage = shared.stages[step % STAGES];
      uint64_t* full = &shared.full[step % STAGES];
      expect(full, sizeof(Stage));
      load(stage.a, map_a, depth(step), row, full);
      load(stage.b[0], map_b, 0, depth(step), column / 64, full);
    };
    constexpr int BEGIN = FIRST;
    const bool elected = elect();
    if (elected) {
      // A stage is requested before the other barriers are made.
      if (BEGIN < STAGES) {
        init(&shared.full[BEGIN], 1);
        publish_barriers();
        bring(BEGIN);
      }
      for (int s = 0; s < STAGES; ++s) {
        if (s != BEGIN) init(&shared.full[s], 1);
        init(&shared.empty[s], GROUPS);
      }
      publish_barriers();
    }
    __syncwarp();
    asm volatile("bar.arrive 1, %0;" ::"n"(THREADS) : "memory");
    if (elected) {
#pragma unroll 1
      for (int step = BEGIN + 1; step < STAGES; ++step) bring(step);
#pragma unroll 1
      for (int step = STAGES; step < STEPS; ++step) {
        wait(&shared.empty[step % STAGES], step / STAGES % 2 ^ 1);
        bring(step);
      }
      // What the descriptors assume. Naming the end of the kilobyte that is reserved makes the
      // emulated device reserve it, too.
      [[maybe_unused]] uint32_t reserved;
      asm volatile("mov.b32 %0, %%reserved_smem_offset_end;" : "=r"(reserved));
      if ((shared_address(memory) & 0xFFFFFF) != 1024) __trap();
    }
    return;
  }

  // Tensor copies first fetch their maps. These need none, so products begin sooner.
  // The first stage comes by slices of ROWS along K, so that its products begin with the first.
  constexpr int SLICES = BK / ROWS;
  constexpr int COPIES = SLICES + FIRST - 1;  // groups of them
#pragma unroll
  for (int step = 0; step < FIRST; ++step) {
    Stage& stage = shared.stages[step];
    copy_rows<BM / ROWS>(stage.a, A + row * K + depth(step), K, thread);
    const bf16* from = B + depth(step) * N + column;
    if (step == 0) {
#pragma unroll
      for (int slice = 0; slice < SLICES; ++slice) {
#pragma unroll
        for (int slab = 0; slab < BN / 64; ++slab) {
          copy_rows<1>(stage.b[slab] + slice * ROWS * 64, from + slice * ROWS * N + slab * 64, N,
                       thread);
        }
        commit_copies();
      }
      continue;
    }
#pragma unroll
    for (int slab = 0; slab < BN / 64; ++slab) {
      copy_rows<BK / ROWS>(stage.b[slab], from + slab * 64, N, thread);
    }
    commit_copies();
  }
  // Group `copies` of these has arrived, for all workers and for wgmma.
  const auto ready = [&](int copies) {
    wait_copies(COPIES - 1 - copies);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    meet<2, WORKERS>();
  };
  meet<1, THREADS>();

  // Two halves of the columns all the way: one accumulator has one shape of wgmma, or they wait.
  float d[2][WN / 4];
  constexpr uint64_t a_part = 0;
  constexpr int B_AT = sizeof(bf16) * BM * BK;
  constexpr int B_HALF = WN / 2 / 64 * BK * 128;
#pragma unroll
  for (int step = 0; step < STEPS - TAIL; ++step) {
    const int s = step % STAGES;
    const int stage = s * int(sizeof(Stage));
    if (step >= FIRST) wait(&shared.full[s], (step / STAGES - (s < FIRST)) % 2);
    if (step < FIRST && step > 0) ready(SLICES - 1 + step);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      if (step == 0 && k % ROWS == 0) {
        ready(k / ROWS);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        multiply(d[half], descriptor(stage + k * 2, 0) + a_part,
                 descriptor(stage + B_AT + half * B_HALF + k * 128, BK * 128), step + k > 0);
      }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // The products of the step before are done; its tiles may be overwritten.
    if (step > 0 && step - 1 + STAGES < STEPS) {
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (thread % 128 == 0) arrive(&shared.empty[(step - 1) % STAGES]);
    }
  }
  const int w = thread / 32;  // in a register of the thread: addresses need it
  const int lane = thread % 32;
  bf16* to = C + (row + w * 16) * N + column;
  // The rest for one half of the columns, then for the other: meanwhile the first is written.
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int step = STEPS - TAIL; step < STEPS; ++step) {
      const int s = step % STAGES;
      const int stage = s * int(sizeof(Stage));
      if (half == 0) wait(&shared.full[s], (step / STAGES - (s < FIRST)) % 2);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int k = 0; k < BK; k += 16) {
        multiply(d[half],
                 descriptor(stage + k * 2, 0) + a_part,
                 descriptor(stage + B_AT + half * B_HALF + k * 128, BK * 128), 1);
      }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  write_rows<WN / 2>(to, shared.c[w], d[0], lane);
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  write_rows<WN / 2>(to + WN / 2, shared.c[w], d[1], lane);
}
