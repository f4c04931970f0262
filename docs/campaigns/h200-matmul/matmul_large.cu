// C = A x B for large sizes on a Hopper GPU: persistent clusters of two blocks, each block a tile
// of 128 x 256. The two share the columns, so each brings half of B's tile to both (multicast).
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 128;    // a warpgroup does 64 rows
constexpr int BN = 256;    // the widest wgmma: it reads the least shared memory for each product
constexpr int BK = 64;     // 128 bytes, the widest swizzle
constexpr int STAGES = 4;  // of 48 KB: all that shared memory holds
constexpr int PAIR = 2;    // blocks of a cluster, one below the other
constexpr int THREADS = 2 * 128 + 32;  // two warpgroups, and the warp that loads
// The clusters of a wave do a square of 8 x 8 tiles of 256 x 256, so that what they read stays in
// L2; 64 clusters are 128 of the 132 multiprocessors, and divide sizes that are powers of two
// evenly.
constexpr int WAVE_X = N / BN < 8 ? N / BN : 8;
constexpr int WAVE_Y = M / (PAIR * BM) < 8 ? M / (PAIR * BM) : 8;
constexpr int WAVES_X = N / BN / WAVE_X;
constexpr int WAVES = WAVES_X * (M / (PAIR * BM) / WAVE_Y);
constexpr int ROUNDS = K / (BK * STAGES);  // a round uses each stage once
static_assert(M % (PAIR * BM * WAVE_Y) == 0 && N % (BN * WAVE_X) == 0 && K % (BK * STAGES) == 0);

struct Stage {
  __nv_bfloat16 a[BM * BK];
  __nv_bfloat16 b[BN / 64][BK * 64];  // a tensor copy with this swizzle is 64 columns wide
};
struct alignas(1024) Shared {
  Stage stages[STAGES];
  __nv_bfloat16 c[8][16 * 128];      // 16 rows and 128 columns of what a warp writes
  unsigned long long full[STAGES];   // the stage's tiles have arrived
  unsigned long long empty[STAGES];  // the warpgroups of both blocks are through with them
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {PAIR * WAVE_X * WAVE_Y},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared),
                   .cluster = {PAIR}});
AUTOKERNEL_TENSOR_MAP(map_a, {.tensor = "A", .box = {BK, BM}, .swizzle = 128});
AUTOKERNEL_TENSOR_MAP(map_b, {.tensor = "B",
                              .box = {64, BK, BN / 64 / PAIR},
                              .swizzle = 128,
                              .view = {.dims = {64, K, N / 64}, .strides = {N, 64}}});

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

// ---- tensor copies ----------------------------------------------------------------------------
__device__ void load(bf16* to, const CUtensorMap& map, int x, int y, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}
// Into the same place of both blocks.
__device__ void load_both(bf16* to, const CUtensorMap& map, int x, int y, int z,
                          uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier)), "h"(short((1 << PAIR) - 1))
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
#define D8(i)                                                                                 \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
// D = A x B + (add ? D : 0) of 64 x 256 x 16: A has K innermost, B has N innermost.
__device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      " %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      " %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      " %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
      "%111, "
      " %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127}, "
      "%128, %129, add, 1, 1, 0, 1;\n}"
      : D8(0), D8(8), D8(16), D8(24), D8(32), D8(40), D8(48), D8(56), D8(64), D8(72), D8(80),
        D8(88), D8(96), D8(104), D8(112), D8(120)
      : "l"(a), "l"(b), "r"(add));
}

// ---- epilogue ---------------------------------------------------------------------------------
__device__ uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(pair);
}
// The 64 x 256 sums of a warpgroup: each warp its 16 rows, half of them at a time, by way of 4 KB
// of shared memory: then 16 lanes write 256 bytes of a row together. Chunks of 16 bytes are
// swizzled.
__device__ __forceinline__ void write_tile(bf16* C, bf16* tile, const float (&d)[128], int thread) {
  const int lane = thread % 32;
  const int row = lane % 16;
  const uint32_t to = shared_address(tile + row * 128 + ((lane / 16) ^ (row % 8)) * 8);
  bf16* out = C + size_t(thread / 32 * 16 + lane / 16) * N + lane % 16 * 8;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (half > 0) __syncwarp();
#pragma unroll
    for (int j = 0; j < 16; j += 2) {
      const float* e = d + half * 64 + j * 4;
      asm volatile(
          "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to ^ (j * 16)),
          "r"(pack(e[0], e[1])), "r"(pack(e[2], e[3])), "r"(pack(e[4], e[5])), "r"(pack(e[6], e[7]))
          : "memory");
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 16; i += 2) {
      const int from = i + lane / 16;
      const uint4 words =
          *reinterpret_cast<const uint4*>(tile + from * 128 + ((lane % 16) ^ (from % 8)) * 8);
      *reinterpret_cast<uint4*>(out + size_t(i) * N + half * 128) = words;
    }
  }
  __syncwarp();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const bf16*, const bf16*, bf16* C, const __grid_constant__ CUtensorMap map_a,
           const __grid_constant__ CUtensorMap map_b) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
  const int rank = blockIdx.x % PAIR;
  const int cluster = blockIdx.x / PAIR;

  if (threadIdx.x == 2 * 128) {
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.full[s], 1);
      init(&shared.empty[s], 2 * PAIR);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    // What the descriptors assume. Naming the end of the kilobyte that is reserved makes the
    // emulated device reserve it, too.
    uint32_t reserved;
    asm volatile("mov.b32 %0, %%reserved_smem_offset_end;" : "=r"(reserved));
    if ((shared_address(memory) & 0xFFFFFF) != 1024) __trap();
  }
  __syncwarp();
  meet_cluster();

  if (warpgroup == 2) {
    if (threadIdx.x % 32 == 0) {
      for (int wave = 0; wave < WAVES; ++wave) {
        const int row = (wave / WAVES_X * WAVE_Y + cluster / WAVE_X) * PAIR * BM + rank * BM;
        const int column = (wave % WAVES_X * WAVE_X + cluster % WAVE_X) * BN;
        for (int step = 0; step < K / BK; ++step) {
          const int s = step % STAGES;
          wait(&shared.empty[s], (wave * ROUNDS + step / STAGES) % 2 ^ 1);
          expect(&shared.full[s], sizeof(Stage));
          load(shared.stages[s].a, map_a, step * BK, row, &shared.full[s]);
          load_both(shared.stages[s].b[rank * (BN / 64 / PAIR)], map_b, 0, step * BK,
                    column / 64 + rank * (BN / 64 / PAIR), &shared.full[s]);
        }
      }
    }
    __syncwarp();
  } else {
    const int thread = threadIdx.x % 128;
    float d[128];
    for (int wave = 0; wave < WAVES; ++wave) {
      for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
        for (int s = 0; s < STAGES; ++s) {
          wait(&shared.full[s], (wave * ROUNDS + round) % 2);
          asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
          constexpr int B = BM * BK * 2;
          const int stage = s * sizeof(Stage);
#pragma unroll
          for (int k = 0; k < BK; k += 16) {
            multiply(d, descriptor(stage + k * 2, 0) + (warpgroup * (64 * BK * 2) >> 4),
                     descriptor(stage + B + k * 128, BK * 128), round + s + k > 0);
          }
          asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
          // The products of the stage before are done; both blocks may overwrite it.
          asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
          if (round + s > 0 && thread < PAIR)
            arrive(&shared.empty[(s + STAGES - 1) % STAGES], thread);
        }
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (thread < PAIR) arrive(&shared.empty[STAGES - 1], thread);
      const int row = (wave / WAVES_X * WAVE_Y + cluster / WAVE_X) * PAIR * BM + rank * BM;
      const int column = (wave % WAVES_X * WAVE_X + cluster % WAVE_X) * BN;
      write_tile(C + size_t(row + warpgroup * 64) * N + column, shared.c[threadIdx.x / 32], d,
                 thread);
    }
    __syncwarp();
  }
  // No block ends while the other may still write into its shared memory.
  meet_cluster();
}
