// wgmma
// C = A x B on a Hopper GPU: a producer warp brings tiles by tensor copies (TMA), two warpgroups
// multiply them with wgmma. The ring of stages lets copies run ahead of the products.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 128;  // a warpgroup does 64 rows
constexpr int BN = 64;
constexpr int BK = 64;  // 128 bytes, the widest swizzle
constexpr int STAGES = 8;
constexpr int WARPGROUPS = BM / 64;
constexpr int THREADS = WARPGROUPS * 128 + 32;  // the last warp is the producer

struct Stage {
  __nv_bfloat16 a[BM * BK];
  __nv_bfloat16 b[BK * BN];
};
struct alignas(1024) Shared {
  Stage stages[STAGES];
  __nv_bfloat16 c[BM * BN];
  unsigned long long full[STAGES];   // the stage's tiles have arrived
  unsigned long long empty[STAGES];  // both warpgroups are through with them
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BN, M / BM},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared) + 1024});
AUTOKERNEL_TENSOR_MAP(map_a, {.tensor = "A", .box = {BK, BM}, .swizzle = 128});
AUTOKERNEL_TENSOR_MAP(map_b, {.tensor = "B", .box = {BN, BK}, .swizzle = 128});
AUTOKERNEL_TENSOR_MAP(map_c, {.tensor = "C", .box = {BN, 64}, .swizzle = 128});

using bf16 = __nv_bfloat16;
using uint32_t = unsigned;
using uint64_t = unsigned long long;

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// ---- mbarriers: `parity` is that of the phase waited for -------------------------------------
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

// ---- tensor copies ----------------------------------------------------------------------------
__device__ void load(bf16* to, const CUtensorMap& map, int x, int y, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}
__device__ void store(const CUtensorMap& map, const bf16* from, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
      "r"(x), "r"(y), "r"(shared_address(from))
      : "memory");
}

// ---- wgmma ------------------------------------------------------------------------------------
// Of a tile in shared memory whose rows are 128 bytes, swizzled. Eight rows follow each other in
// 1024 bytes; `columns` is the distance in bytes of the next 64 columns, where there are any.
__device__ uint64_t descriptor(const bf16* tile, int columns) {
  const uint64_t address = (shared_address(tile) & 0x3FFFF) >> 4;
  return address | uint64_t(columns >> 4) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}
// D += A x B of 64 x 64 x 16: A has K innermost, B has N innermost (the last 1: transposed).
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, 1, 1, 1, 0, 1;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}

// The 64 x 64 sums of a warpgroup as bf16 into shared memory, in the swizzled layout.
__device__ void write_tile(bf16* tile, const float* d, int thread) {
  const int lane = thread % 32;
  const int row = thread / 32 * 16 + lane % 16;
  for (int j = 0; j < 8; j += 2) {
    uint32_t pairs[4];
    for (int i = 0; i < 4; ++i) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(d[4 * j + 2 * i], d[4 * j + 2 * i + 1]);
      pairs[i] = reinterpret_cast<const uint32_t&>(pair);
    }
    const int chunk = (j + lane / 16) ^ (row % 8);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(tile + row * 64 + chunk * 8)),
                 "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                 : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const bf16*, const bf16*, bf16*, const __grid_constant__ CUtensorMap map_a,
           const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c) {
  extern __shared__ char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory + (-shared_address(memory) & 1023));
  const int row = blockIdx.y * BM;
  const int column = blockIdx.x * BN;
  const int warpgroup = threadIdx.x / 128;

  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.full[s], 1);
      init(&shared.empty[s], WARPGROUPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();

  if (warpgroup == WARPGROUPS) {
    if (threadIdx.x % 32 != 0) return;
    for (int k = 0; k < K / BK; ++k) {
      const int s = k % STAGES;
      wait(&shared.empty[s], k / STAGES % 2 ^ 1);
      expect(&shared.full[s], sizeof(Stage));
      load(shared.stages[s].a, map_a, k * BK, row, &shared.full[s]);
      load(shared.stages[s].b, map_b, column, k * BK, &shared.full[s]);
    }
    return;
  }

  float d[32] = {};
  for (int k = 0; k < K / BK; ++k) {
    const int s = k % STAGES;
    wait(&shared.full[s], k / STAGES % 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < BK; i += 16) {
      multiply(d, descriptor(shared.stages[s].a + warpgroup * 64 * BK + i, 0),
               descriptor(shared.stages[s].b + i * BN, 0));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    // The products of the stage before are done; its tiles may be overwritten.
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (k > 0 && threadIdx.x % 128 == 0) arrive(&shared.empty[(k - 1) % STAGES]);
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

  bf16* tile = shared.c + warpgroup * 64 * BN;
  write_tile(tile, d, threadIdx.x % 128);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync %0, 128;" ::"r"(warpgroup + 1) : "memory");
  if (threadIdx.x % 128 == 0) {
    store(map_c, tile, column, row + warpgroup * 64);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}
