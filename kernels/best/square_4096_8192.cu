// C = A x B for large sizes on a Hopper GPU, computed as transposed(B) x transposed(A). The operand
// of wgmma that is read most, the wide one, is then A. It has K innermost, as the tensor cores take
// it, and this saves power, which is the limit at these sizes. Persistent clusters of two blocks
// have tiles of 256 x 128 beside each other, and share A's by multicast. A warp brings tiles by
// tensor copies, and two warpgroups multiply them with wgmma. The second one begins two stages
// late: while one writes, the other still multiplies.
//
// On an H200, 4096 x 4096 x 4096: 174.2 us; 8192 x 8192 x 8192: 1339.8 us. cuBLAS takes 0.998 and
// 1.001 times as long (docs/measurements/h200-matmul-variants.txt).
// M a multiple of 256, N of 256, both also of a wave (below), K of 256.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 256;    // the widest wgmma: it reads the least shared memory for each product
constexpr int BN = 128;    // a warpgroup does 64 columns
constexpr int BK = 64;     // 128 bytes, the widest swizzle
constexpr int STAGES = 4;  // of 48 KB: all that shared memory holds
constexpr int PAIR = 2;    // blocks of a cluster, one beside the other
constexpr int WORKERS = 2 * 128;       // threads that multiply
constexpr int THREADS = WORKERS + 32;  // and a warp that loads
// Stages that have arrived when the second warpgroup begins. From then on it is behind the first:
// while one writes its part of a tile, the other still has products for the tensor cores.
constexpr int LAG = 2;
// A wave is up to 8 x 16 tiles, a block for each, so that what it reads stays in L2.
constexpr int WAVE_X = N / BN < 16 ? N / BN : 16;
constexpr int WAVE_Y = M / BM < 8 ? M / BM : 8;
constexpr int WAVES_X = N / BN / WAVE_X;
constexpr int WAVES = WAVES_X * (M / BM / WAVE_Y);
constexpr int ROUNDS = K / (BK * STAGES);  // a round uses each stage once
static_assert(M % (BM * WAVE_Y) == 0 && N % (BN * WAVE_X) == 0 && K % (BK * STAGES) == 0);
static_assert(WAVE_X % PAIR == 0);

struct Stage {
  __nv_bfloat16 a[BM * BK];
  __nv_bfloat16 b[BN / 64][BK * 64];  // a tensor copy with this swizzle is 64 columns wide
};
struct alignas(1024) Shared {
  Stage stages[STAGES];
  __nv_bfloat16 c[2][2][64 * 64];    // twice 64 rows of what a warpgroup writes
  unsigned long long full[STAGES];   // the stage's tiles have arrived
  unsigned long long empty[STAGES];  // the warpgroups of both blocks are through with them
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {WAVE_X * WAVE_Y},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared),
                   .cluster = {PAIR}});
AUTOKERNEL_TENSOR_MAP(map_a, {.tensor = "A", .box = {BK, BM / PAIR}, .swizzle = 128});
AUTOKERNEL_TENSOR_MAP(map_b, {.tensor = "B",
                              .box = {64, BK, BN / 64},
                              .swizzle = 128,
                              .view = {.dims = {64, K, N / 64}, .strides = {N, 64}}});
AUTOKERNEL_TENSOR_MAP(map_c, {.tensor = "C", .box = {64, 64}, .swizzle = 128});

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
// At the barrier in the same place of another block of the cluster. No `.release.cluster`: it would
// wait for all of the thread's memory accesses, and wgmma.wait_group has ordered the tiles' reads.
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

// ---- copies -----------------------------------------------------------------------------------
// Into the same place of both blocks.
__device__ void load_both(bf16* to, const CUtensorMap& map, int x, int y, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(short((1 << PAIR) - 1))
      : "memory");
}
__device__ void load(bf16* to, const CUtensorMap& map, int x, int y, int z, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
      : "memory");
}

// ---- wgmma ------------------------------------------------------------------------------------
// Of a tile `offset` bytes into Shared whose rows are 128 bytes, swizzled. Eight rows follow each
// other in 1024 bytes; `columns` is the distance in bytes of the next 64 columns. Shared begins at
// 1024, as `matmul` checks: so descriptors are constants, which keeps the tensor cores fed.
__device__ constexpr uint64_t descriptor(uint32_t offset, int columns) {
  return uint64_t((1024 + offset) >> 4) | uint64_t(columns >> 4) << 16 | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}
__device__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// All products but the latest PENDING groups are done.
template <int PENDING>
__device__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}
#define D8(i)                                                                                 \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
// D = A x B + (add ? D : 0) of 64 x 256 x 16, where A is transposed(B) and B transposed(A) of the
// product: A has its rows innermost, B has K innermost.
__device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      " %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, "
      " %24, %25, %26, %27, %28, %29, %30, %31, "
      " %32, %33, %34, %35, %36, %37, %38, %39, "
      " %40, %41, %42, %43, %44, %45, %46, %47, "
      " %48, %49, %50, %51, %52, %53, %54, %55, "
      " %56, %57, %58, %59, %60, %61, %62, %63, "
      " %64, %65, %66, %67, %68, %69, %70, %71, "
      " %72, %73, %74, %75, %76, %77, %78, %79, "
      " %80, %81, %82, %83, %84, %85, %86, %87, "
      " %88, %89, %90, %91, %92, %93, %94, %95, "
      " %96, %97, %98, %99, %100, %101, %102, %103, "
      " %104, %105, %106, %107, %108, %109, %110, %111, "
      " %112, %113, %114, %115, %116, %117, %118, %119, "
      " %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, add, 1, 1, 1, 0;\n}"
      : D8(0), D8(8), D8(16), D8(24), D8(32), D8(40), D8(48), D8(56), D8(64), D8(72), D8(80),
        D8(88), D8(96), D8(104), D8(112), D8(120)
      : "l"(a), "l"(b), "r"(add));
}

// ---- the end ----------------------------------------------------------------------------------
__device__ uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(pair);
}
// The 256 rows and 64 columns of a warpgroup, of which `d` has the transposed: 64 rows at a time,
// by tensor copies, which go on behind the next tile's products. Two of them have a place in shared
// memory. `stmatrix` transposes.
__device__ __forceinline__ void write_tile(const CUtensorMap& map, int x, int y,
                                           bf16 (&tiles)[2][64 * 64], const float (&d)[128],
                                           uint32_t thread, uint32_t barrier) {
  const uint32_t lane = thread % 32;
  const uint32_t row = lane / 16 * 8 + lane % 8;
  const uint32_t chunk = thread / 32 * 2 + lane / 8 % 2;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    bf16* tile = tiles[part % 2];
    const uint32_t to = shared_address(tile) + row * 128 + (chunk ^ row % 8) * 16;
    // The copy before the last one has read its place.
    if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
      const float* e = d + part * 32 + j * 4;
      asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                       to + j * 1024),
                   "r"(pack(e[0], e[1])), "r"(pack(e[2], e[3])), "r"(pack(e[4], e[5])),
                   "r"(pack(e[6], e[7]))
                   : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
    if (thread == 0) {
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
          "cp.async.bulk.commit_group;" ::"l"(&map),
          "r"(x), "r"(y + part * 64), "r"(shared_address(tile))
          : "memory");
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const bf16*, const bf16*, bf16*, const __grid_constant__ CUtensorMap map_a,
           const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const uint32_t warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
  const uint32_t rank = blockIdx.x % PAIR;
  // Where the block's tile of a wave is. Waves go to and fro, so that each has rows or columns of
  // the one before.
  const auto wave_x = [&](uint32_t wave) {
    return wave / WAVES_X % 2 ? WAVES_X - 1 - wave % WAVES_X : wave % WAVES_X;
  };
  const auto row_of = [&](uint32_t wave) {
    return (wave / WAVES_X * WAVE_Y + blockIdx.x / PAIR % WAVE_Y) * BM;
  };
  const auto column_of = [&](uint32_t wave) {
    return (wave_x(wave) * WAVE_X + blockIdx.x / (PAIR * WAVE_Y) * PAIR + rank) * BN;
  };

  if (threadIdx.x == WORKERS) {
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.full[s], 1);
      init(&shared.empty[s], 2 * PAIR);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    // What the descriptors assume. Naming the end of the kilobyte that is reserved makes the
    // emulated device reserve it, too.
    [[maybe_unused]] uint32_t reserved;
    asm volatile("mov.b32 %0, %%reserved_smem_offset_end;" : "=r"(reserved));
    if ((shared_address(memory) & 0xFFFFFF) != 1024) __trap();
  }
  __syncwarp();
  meet_cluster();

  if (warpgroup == 2) {
    if (threadIdx.x % 32 == 0) {
      for (int wave = 0; wave < WAVES; ++wave) {
        for (int step = 0; step < K / BK; ++step) {
          const int s = step % STAGES;
          wait(&shared.empty[s], (wave * ROUNDS + step / STAGES) % 2 ^ 1);
          expect(&shared.full[s], sizeof(Stage));
          // Every other wave begins at the end of K, which is in L2 still.
          const int depth = (wave % 2 ? K / BK - 1 - step : step) * BK;
          constexpr int PART = BM / PAIR;
          load_both(shared.stages[s].a + rank * PART * BK, map_a, depth, row_of(wave) + rank * PART,
                    &shared.full[s]);
          load(shared.stages[s].b[0], map_b, 0, depth, column_of(wave) / 64, &shared.full[s]);
        }
      }
    }
    __syncwarp();
  } else {
    const uint32_t thread = threadIdx.x % 128;
    if (warpgroup == 1) wait(&shared.full[LAG], 0);
    float d[128];
    constexpr int B_AT = BM * BK * sizeof(bf16);  // in a stage
    for (int wave = 0; wave < WAVES; ++wave) {
      for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
        for (int s = 0; s < STAGES; ++s) {
          wait(&shared.full[s], (wave * ROUNDS + round) % 2);
          begin_products();
          const int stage = s * sizeof(Stage);
#pragma unroll
          for (int k = 0; k < BK; k += 16) {
            multiply(d, descriptor(stage + B_AT + k * 128, 0) + (warpgroup * (BK * 128) >> 4),
                     descriptor(stage + k * 2, 0), round + s + k > 0);
          }
          end_products();
          // The products of the stage before are done; both blocks may overwrite it.
          wait_products<1>();
          if (round + s > 0 && thread < PAIR)
            arrive(&shared.empty[(s + STAGES - 1) % STAGES], thread);
        }
      }
      wait_products<0>();
      if (thread < PAIR) arrive(&shared.empty[STAGES - 1], thread);
      // Read again, so that nothing made of it takes a register during the products.
      uint32_t me;
      asm volatile("mov.u32 %0, %%tid.x;" : "=r"(me));
      write_tile(map_c, column_of(wave) + me / 128 * 64, row_of(wave), shared.c[me / 128], d,
                 me % 128, 2 + me / 128);
    }
    if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncwarp();
  }
  // No block ends while the other may still write into its shared memory.
  meet_cluster();
}
