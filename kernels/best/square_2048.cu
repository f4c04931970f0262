// C = A x B for medium sizes on a Hopper GPU: persistent blocks, each a tile of 128 x 256 at a
// time. A warp brings tiles of A and B by tensor copies, and two warpgroups multiply them with
// wgmma. What shortens the begin and the end, which are a tenth of the time at 2048:
// - The first stage comes by plain copies, which need no tensor map. Meanwhile the L2 is asked for
//   the next three.
// - The second warpgroup begins two stages late: while one writes, the other still multiplies.
// - The last two steps of a tile are done for one half of the columns, then for the other.
//   Meanwhile the first half is written.
//
// On an H200, 2048 x 2048 x 2048: 26.05 us, where cuBLAS takes 1.03 times as long
// (docs/measurements/h200-matmul-variants.txt).
// M a multiple of 128, N of 256, both also of a wave (below), K of 256.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BM = 128;    // a warpgroup does 64 rows
constexpr int BN = 256;    // the widest wgmma: it reads the least shared memory for each product
constexpr int BK = 64;     // 128 bytes, the widest swizzle
constexpr int STAGES = 4;  // of 48 KB: all that shared memory holds
constexpr int WORKERS = 2 * 128;       // threads that multiply
constexpr int THREADS = WORKERS + 32;  // and a warp that loads
// Stages that have arrived when the second warpgroup begins. From then on it is behind the first:
// while one writes its part of a tile, the other still has products for the tensor cores.
constexpr int LAG = 2;
constexpr int TAIL = 2;   // last steps of a tile, done for one half of the columns first
constexpr int AHEAD = 3;  // stages behind the first that the L2 is asked for
// A wave is up to 16 x 8 tiles, a block for each, so that what it reads stays in L2.
constexpr int WAVE_X = N / BN < 8 ? N / BN : 8;
constexpr int WAVE_Y = M / BM < 16 ? M / BM : 16;
constexpr int WAVES_X = N / BN / WAVE_X;
constexpr int WAVES = WAVES_X * (M / BM / WAVE_Y);
constexpr int ROUNDS = K / (BK * STAGES);  // a round uses each stage once
static_assert(M % (BM * WAVE_Y) == 0 && N % (BN * WAVE_X) == 0 && K % (BK * STAGES) == 0);

struct Stage {
  __nv_bfloat16 a[BM * BK];
  __nv_bfloat16 b[BN / 64][BK * 64];  // a tensor copy with this swizzle is 64 columns wide
};
struct alignas(1024) Shared {
  Stage stages[STAGES];
  __nv_bfloat16 c[8][16 * 128];      // 16 rows and 128 columns of what a warp writes
  unsigned long long full[STAGES];   // the stage's tiles have arrived
  unsigned long long empty[STAGES];  // both warpgroups are through with them
};

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {WAVE_X * WAVE_Y},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Shared)});
AUTOKERNEL_TENSOR_MAP(map_a, {.tensor = "A", .box = {BK, BM}, .swizzle = 128});
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
// ROWS x PARTS rows of 64 elements, by all workers: eight lanes bring a row, and swizzle it as a
// tensor copy does.
constexpr int ROWS = WORKERS / 8;
template <int PARTS>
__device__ void copy_rows(bf16* to, const bf16* from, int stride) {
  const int row = threadIdx.x / 8;
  const uint32_t there = shared_address(to) + row * 128 + (threadIdx.x % 8 ^ row % 8) * 16;
  const bf16* here = from + size_t(row) * stride + threadIdx.x % 8 * 8;
#pragma unroll
  for (int i = 0; i < PARTS; ++i) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there + i * ROWS * 128),
                 "l"(here + size_t(i) * ROWS * stride)
                 : "memory");
  }
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
// D = A x B + (add ? D : 0) of 64 x 256 x 16: A has K innermost, B has N innermost.
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
      "%128, %129, add, 1, 1, 0, 1;\n}"
      : D8(0), D8(8), D8(16), D8(24), D8(32), D8(40), D8(48), D8(56), D8(64), D8(72), D8(80),
        D8(88), D8(96), D8(104), D8(112), D8(120)
      : "l"(a), "l"(b), "r"(add));
}
// The same of half of the columns.
__device__ __forceinline__ void multiply_half(float (&d)[64], uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      " %8, %9, %10, %11, %12, %13, %14, %15, "
      " %16, %17, %18, %19, %20, %21, %22, %23, "
      " %24, %25, %26, %27, %28, %29, %30, %31, "
      " %32, %33, %34, %35, %36, %37, %38, %39, "
      " %40, %41, %42, %43, %44, %45, %46, %47, "
      " %48, %49, %50, %51, %52, %53, %54, %55, "
      " %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, add, 1, 1, 0, 1;\n}"
      : D8(0), D8(8), D8(16), D8(24), D8(32), D8(40), D8(48), D8(56)
      : "l"(a), "l"(b), "r"(add));
}

// ---- the end ----------------------------------------------------------------------------------
__device__ uint32_t pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t&>(pair);
}
// One half of the columns of a warpgroup's 64 rows: each warp its 16 rows, by way of 4 KB of shared
// memory. Then 16 lanes write 256 bytes of a row together. Chunks of 16 bytes are swizzled.
__device__ __forceinline__ void write_half(bf16* C, bf16* tile, const float (&d)[64],
                                           uint32_t thread) {
  const uint32_t lane = thread % 32;
  const uint32_t row = lane % 16;
  const uint32_t to = shared_address(tile + row * 128 + ((lane / 16) ^ (row % 8)) * 8);
  bf16* out = C + size_t(thread / 32 * 16 + lane / 16) * N + lane % 16 * 8;
#pragma unroll
  for (int j = 0; j < 16; j += 2) {
    const float* e = d + j * 4;
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to ^ (j * 16)),
        "r"(pack(e[0], e[1])), "r"(pack(e[2], e[3])), "r"(pack(e[4], e[5])), "r"(pack(e[6], e[7]))
        : "memory");
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    const uint32_t from = i + lane / 16;
    const uint4 words =
        *reinterpret_cast<const uint4*>(tile + from * 128 + ((lane % 16) ^ (from % 8)) * 8);
    *reinterpret_cast<uint4*>(out + size_t(i) * N) = words;
  }
  __syncwarp();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const bf16* A, const bf16* B, bf16* C, const __grid_constant__ CUtensorMap map_a,
           const __grid_constant__ CUtensorMap map_b) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const uint32_t warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);
  // Where the block's tile of a wave is.
  const auto row_of = [&](uint32_t wave) {
    return (wave / WAVES_X * WAVE_Y + blockIdx.x / WAVE_X) * BM;
  };
  const auto column_of = [&](uint32_t wave) {
    return (wave % WAVES_X * WAVE_X + blockIdx.x % WAVE_X) * BN;
  };

  // The first stage without tensor copies, which first fetch their maps.
  if (warpgroup < 2) {
    copy_rows<BM / ROWS>(shared.stages[0].a, A + size_t(row_of(0)) * K, K);
#pragma unroll
    for (int slab = 0; slab < BN / 64; ++slab) {
      copy_rows<BK / ROWS>(shared.stages[0].b[slab], B + column_of(0) + slab * 64, N);
    }
  }
  // The L2 is asked for the lines of the next stages, a share by each block.
  if (warpgroup < 2) {
    constexpr int A_LINES = BM * WAVE_Y * AHEAD;
    constexpr int B_LINES = AHEAD * BK * (BN * WAVE_X / 64);
    for (int i = blockIdx.x * WORKERS + threadIdx.x; i < A_LINES + B_LINES;
         i += WAVE_X * WAVE_Y * WORKERS) {
      const int j = i - A_LINES;
      const int y = j / (BN * WAVE_X / 64);
      const int x = j % (BN * WAVE_X / 64);
      const bf16* line = j < 0 ? A + size_t(i / AHEAD) * K + (1 + i % AHEAD) * BK
                               : B + size_t(BK + y) * N + x * 64;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
    }
  }
  // The first access to C may find no translation of its address: not at the end, when it counts.
  if (threadIdx.x == 0) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(C + size_t(row_of(0)) * N + column_of(0)));
  }
  if (threadIdx.x == WORKERS) {
    for (int s = 0; s < STAGES; ++s) {
      init(&shared.full[s], 1);
      init(&shared.empty[s], 2);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    // What the descriptors assume. Naming the end of the kilobyte that is reserved makes the
    // emulated device reserve it, too.
    [[maybe_unused]] uint32_t reserved;
    asm volatile("mov.b32 %0, %%reserved_smem_offset_end;" : "=r"(reserved));
    if ((shared_address(memory) & 0xFFFFFF) != 1024) __trap();
  }
  __syncwarp();
  // The workers wait for their copies, and all for the barriers.
  if (warpgroup < 2) {
    asm volatile("cp.async.wait_all;\nfence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");
  } else {
    asm volatile("bar.arrive 1, %0;" ::"n"(THREADS) : "memory");
  }

  if (warpgroup == 2) {
    if (threadIdx.x % 32 == 0) {
      for (int wave = 0; wave < WAVES; ++wave) {
        for (int step = 0; step < K / BK; ++step) {
          if (wave + step == 0) continue;  // came by plain copies
          const int s = step % STAGES;
          wait(&shared.empty[s], (wave * ROUNDS + step / STAGES) % 2 ^ 1);
          expect(&shared.full[s], sizeof(Stage));
          const int depth = step * BK;
          load(shared.stages[s].a, map_a, depth, row_of(wave), &shared.full[s]);
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
      // The first stage of the first tile has no phase of its barrier: later ones are one behind.
      const auto await_stage = [&](int round, int s) {
        if (s > 0) wait(&shared.full[s], (wave * ROUNDS + round) % 2);
        if (s == 0 && wave + round > 0) wait(&shared.full[0], (wave * ROUNDS + round) % 2 ^ 1);
        begin_products();
      };
      const auto products = [&](int round, int s) {
        await_stage(round, s);
        const int stage = s * sizeof(Stage);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
          multiply(d, descriptor(stage + k * 2, 0) + (warpgroup * (64 * BK * 2) >> 4),
                   descriptor(stage + B_AT + k * 128, BK * 128), round + s + k > 0);
        }
        end_products();
        // The products of the stage before are done; it may be overwritten.
        wait_products<1>();
        if (round + s > 0 && thread == 0) arrive(&shared.empty[(s + STAGES - 1) % STAGES]);
      };
      for (int round = 0; round < ROUNDS - 1; ++round) {
#pragma unroll
        for (int s = 0; s < STAGES; ++s) products(round, s);
      }
#pragma unroll
      for (int s = 0; s < STAGES - TAIL; ++s) products(ROUNDS - 1, s);
      wait_products<0>();
      if (thread == 0) arrive(&shared.empty[STAGES - TAIL - 1]);
      // Copied by assembly: with wgmma of two shapes on one accumulator, the products would wait
      // for each other.
      float halves[2][64];
#pragma unroll
      for (int i = 0; i < 128; ++i) {
        asm volatile("mov.b32 %0, %1;" : "=f"(halves[i / 64][i % 64]) : "f"(d[i]));
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int s = STAGES - TAIL; s < STAGES; ++s) {
          const int stage = s * sizeof(Stage);
          if (half == 0) await_stage(ROUNDS - 1, s);
#pragma unroll
          for (int k = 0; k < BK; k += 16) {
            multiply_half(halves[half],
                          descriptor(stage + k * 2, 0) + (warpgroup * (64 * BK * 2) >> 4),
                          descriptor(stage + B_AT + half * (BK * 256) + k * 128, BK * 128), 1);
          }
        }
        end_products();
      }
      // Read again, so that nothing made of it takes a register during the products.
      uint32_t me;
      asm volatile("mov.u32 %0, %%tid.x;" : "=r"(me));
      bf16* to = C + size_t(row_of(wave) + me / 128 * 64) * N + column_of(wave);
      wait_products<1>();
      write_half(to, shared.c[me / 32], halves[0], me % 128);
      wait_products<0>();
#pragma unroll
      for (int s = STAGES - TAIL; s < STAGES; ++s) {
        if (thread == 0) arrive(&shared.empty[s]);
      }
      write_half(to + BN / 2, shared.c[me / 32], halves[1], me % 128);
    }
    __syncwarp();
  }
}
