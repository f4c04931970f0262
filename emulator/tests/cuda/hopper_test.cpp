// CUDA C++ for Hopper as its users write it: a product that a producer warp feeds by tensor copies
// and two warpgroups compute, alone and in clusters; and blocks that read each other's memory.
#include <bit>
#include <cstring>
#include <numeric>

#include "cuda_program.h"

namespace emulator::api {
namespace {

using Hopper = CudaProgram;

// bf16 of a whole number up to 256.
std::uint16_t bf16_of(int value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U);
}

std::string numbered(const char* before, unsigned first, unsigned count, const char* behind) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + (before + std::to_string(first + i)) + behind;
  return text;
}

// wgmma m64n128k16 on `d[64]`.
std::string product_function() {
  return "__device__ void multiply(float (&d)[64], u64 a, u64 b, int adds) {\n"
         "  asm volatile(\"{ .reg .pred p; setp.ne.b32 p, %66, 0;\"\n"
         "    \"wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" +
         numbered("%", 0, 64, "") +
         "}, %64, %65, p, 1, 1, 0, 0; }\"\n    : " + numbered("\"+f\"(d[", 0, 64, "])") +
         "\n    : \"l\"(a), \"l\"(b), \"r\"(adds));\n}\n";
}

// C = A x B^T, f32 of bf16: tiles of 128 x 128 x 64 in rings of three, of each block or shared by
// the blocks of a cluster, each of which then brings a part of B's tile for all.
std::string matmul() {
  return R"(
typedef unsigned long long u64;
typedef unsigned u32;
struct alignas(64) Map { char bytes[128]; };
constexpr int kStages = 3, kTile = 128, kDepth = 64;
)" + product_function() +
         R"(
__device__ u32 at(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ u32 rank() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ u32 blocks() { u32 n; asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n)); return n; }
__device__ u64 descriptor(u32 address) {
  return (u64)((address & 0x3FFFF) >> 4) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}
__device__ void wait(u32 barrier, u32 parity) {
  asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"
               "@p bra DONE; bra WAIT; DONE: }" :: "r"(barrier), "r"(parity) : "memory");
}
__device__ void arrive(u32 barrier, u32 of) {
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" :: "r"(barrier), "r"(of) : "memory");
}
extern "C" __global__ void __launch_bounds__(384) f(const __grid_constant__ Map a, const __grid_constant__ Map b,
                                                    float* c, int n, int k) {
  extern __shared__ __align__(1024) char memory[];
  __shared__ __align__(8) u64 full[kStages], empty[kStages];
  char* tiles_a = memory;
  char* tiles_b = memory + kStages * kTile * kDepth * 2;
  const int group = threadIdx.x / 128;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const u32 others = blocks();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(full + s)));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(empty + s)), "r"(2 * others));
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;");
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      const int part = kTile / others;
      for (int i = 0; i < k / kDepth; ++i) {
        const int s = i % kStages;
        wait(at(empty + s), (i / kStages & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(full + s)), "r"(2 * kTile * kDepth * 2));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(at(tiles_a + s * kTile * kDepth * 2)), "l"(&a), "r"(i * kDepth), "r"(row), "r"(at(full + s)) : "memory");
        const u32 to = at(tiles_b + s * kTile * kDepth * 2) + rank() * part * kDepth * 2;
        if (others == 1) {
          asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                       :: "r"(to), "l"(&b), "r"(i * kDepth), "r"(column), "r"(at(full + s)) : "memory");
        } else {
          asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                       :: "r"(to), "l"(&b), "r"(i * kDepth), "r"(column + (int)rank() * part), "r"(at(full + s)), "h"((short)((1 << others) - 1)) : "memory");
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[64] = {};
    for (int i = 0; i < k / kDepth; ++i) {
      const int s = i % kStages;
      wait(at(full + s), i / kStages & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      const u32 of_a = at(tiles_a + s * kTile * kDepth * 2) + (group - 1) * 64 * kDepth * 2;
      const u32 of_b = at(tiles_b + s * kTile * kDepth * 2);
      for (int j = 0; j < kDepth / 16; ++j) multiply(d, descriptor(of_a + j * 32), descriptor(of_b + j * 32), 1);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (threadIdx.x % 128 < others) arrive(at(empty + s), threadIdx.x % 128);
    }
    const int t = threadIdx.x % 128, lane = t % 32;
    for (int i = 0; i < 64; ++i) {
      const int y = row + (group - 1) * 64 + t / 32 * 16 + i / 2 % 2 * 8 + lane / 4;
      const int x = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
      c[(long)y * n + x] = d[i];
    }
  }
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;");
}
)";
}

CUtensorMap map_of(CUdeviceptr memory, std::uint64_t rows, std::uint64_t depth,
                   std::uint32_t box_rows) {
  CUtensorMap map = {};
  const std::array<std::uint64_t, 2> dims = {depth, rows};
  const std::array<std::uint64_t, 1> strides = {depth * 2};
  const std::array<std::uint32_t, 2> box = {64, box_rows};
  const std::array<std::uint32_t, 2> apart = {1, 1};
  EXPECT_EQ(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
                                   std::bit_cast<void*>(memory), dims.data(), strides.data(),
                                   box.data(), apart.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            CUDA_SUCCESS);
  return map;
}

class HopperProduct : public Hopper, public ::testing::WithParamInterface<unsigned> {};

TEST_P(HopperProduct, OfTilesFromTensorCopiesIsTheProduct) {
  constexpr unsigned kSide = 512;
  const unsigned cluster = GetParam();
  std::vector<std::uint16_t> a(std::size_t{kSide} * kSide);
  std::vector<std::uint16_t> b(a.size());
  const auto of_a = [](unsigned i, unsigned j) {
    return static_cast<int>((i * 7 + j * 3) % 11) - 5;
  };
  const auto of_b = [](unsigned i, unsigned j) {
    return static_cast<int>((i * 5 + j * 13) % 9) - 4;
  };
  for (unsigned i = 0; i < kSide; ++i) {
    for (unsigned j = 0; j < kSide; ++j) {
      a[i * kSide + j] = bf16_of(of_a(i, j));
      b[i * kSide + j] = bf16_of(of_b(i, j));
    }
  }
  const CUdeviceptr in_a = allocate(a.size() * 2);
  const CUdeviceptr in_b = allocate(b.size() * 2);
  const CUdeviceptr out = allocate(a.size() * 4);
  ASSERT_EQ(cuMemcpyHtoD(in_a, a.data(), a.size() * 2), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD(in_b, b.data(), b.size() * 2), CUDA_SUCCESS);
  const CUfunction function = kernel(compile(matmul()), "f");
  constexpr unsigned kShared = 3 * 2 * 128 * 64 * 2 + 1024;
  ASSERT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kShared),
            CUDA_SUCCESS);
  CUtensorMap map_a = map_of(in_a, kSide, kSide, 128);
  CUtensorMap map_b = map_of(in_b, kSide, kSide, 128 / cluster);
  CUdeviceptr c = out;
  int n = kSide;
  int k = kSide;
  void* parameters[] = {&map_a, &map_b, &c, &n, &k};
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {1, cluster, 1};  // who shares columns shares B
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = kSide / 128;
  config.gridDimZ = 1;
  config.blockDimX = 384;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = kShared;
  config.attrs = &attribute;
  config.numAttrs = cluster > 1 ? 1 : 0;
  ASSERT_EQ(cuLaunchKernelEx(&config, function, parameters, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  const std::vector<std::uint32_t> words = read(out, a.size());
  for (unsigned i = 0; i < kSide; i += 37) {
    for (unsigned j = 0; j < kSide; ++j) {
      int sum = 0;
      for (unsigned l = 0; l < kSide; ++l) sum += of_a(i, l) * of_b(j, l);
      ASSERT_EQ(std::bit_cast<float>(words[i * kSide + j]), static_cast<float>(sum))
          << i << ' ' << j;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(InClustersOf, HopperProduct, ::testing::Values(1U, 2U, 4U));

// Each block adds what the others of its cluster hold.
TEST_F(Hopper, BlocksOfAClusterReadEachOthersMemory) {
  const CUmodule module = compile(R"(
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(4, 2, 1) f(const unsigned* in, unsigned* out) {
  __shared__ unsigned own[32];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  own[threadIdx.x] = in[block * 32 + threadIdx.x];
  cluster.sync();
  unsigned sum = 0;
  for (unsigned r = 0; r < cluster.num_blocks(); ++r) sum += *cluster.map_shared_rank(own + (threadIdx.x + r) % 32, r);
  out[block * 32 + threadIdx.x] = sum + 1000000 * cluster.block_rank();
  cluster.sync();
})");
  constexpr unsigned kX = 8;
  constexpr unsigned kY = 4;
  std::vector<std::uint32_t> input(std::size_t{kX} * kY * 32);
  std::iota(input.begin(), input.end(), 1U);
  const CUdeviceptr in = allocate(input.size() * 4);
  const CUdeviceptr out = allocate(input.size() * 4);
  ASSERT_EQ(cuMemcpyHtoD(in, input.data(), input.size() * 4), CUDA_SUCCESS);
  CUdeviceptr from = in;
  CUdeviceptr to = out;
  void* parameters[] = {&from, &to};
  ASSERT_EQ(
      cuLaunchKernel(kernel(module, "f"), kX, kY, 1, 32, 1, 1, 0, nullptr, parameters, nullptr),
      CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  const std::vector<std::uint32_t> words = read(out, input.size());
  for (unsigned block = 0; block < kX * kY; ++block) {
    const unsigned x = block % kX;
    const unsigned y = block / kX;
    for (unsigned t = 0; t < 32; ++t) {
      std::uint32_t sum = 1000000 * (y % 2 * 4 + x % 4);
      for (unsigned r = 0; r < 8; ++r) {
        const unsigned peer = (y / 2 * 2 + r / 4) * kX + x / 4 * 4 + r % 4;
        sum += input[peer * 32 + (t + r) % 32];
      }
      EXPECT_EQ(words[block * 32 + t], sum) << block << ' ' << t;
    }
  }
}

}  // namespace
}  // namespace emulator::api
