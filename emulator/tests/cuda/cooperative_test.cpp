// Blocks of CUDA C++ kernels that wait for each other. CMake runs these on one, on two and on all
// of the machine's cores.
#include <numeric>

#include "cuda_program.h"

namespace emulator::api {
namespace {

using Cooperation = CudaProgram;
using Words = std::vector<std::uint32_t>;

constexpr unsigned kThreads = 128;

unsigned blocks_per_multiprocessor(CUfunction function) {
  int blocks = 0;
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, kThreads, 0),
            CUDA_SUCCESS);
  return static_cast<unsigned>(blocks);
}

unsigned multiprocessors(CUdevice device) {
  int count = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
            CUDA_SUCCESS);
  return static_cast<unsigned>(count);
}

// By what the device says of itself.
unsigned largest_grid(CUfunction function, CUdevice device) {
  return blocks_per_multiprocessor(function) * multiprocessors(device);
}

// Each round adds to every word the one that lies mirrored, after all of the grid have written
// theirs; with the words kept in two places by turns, one barrier a round is enough.
constexpr const char* kMirrored = R"(
#include <cooperative_groups.h>
extern "C" __global__ void f(unsigned* words, unsigned rounds) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned r = 0; r < rounds; ++r) {
    unsigned* from = words + (r & 1) * n;
    unsigned* to = words + (~r & 1) * n;
    to[i] = from[i] * 3 + from[n - 1 - i];
    grid.sync();
  }
})";

Words mirrored(Words words, unsigned rounds) {
  for (unsigned r = 0; r < rounds; ++r) {
    Words next(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      next[i] = words[i] * 3 + words[words.size() - 1 - i];
    }
    words = next;
  }
  return words;
}

TEST_F(Cooperation, GroupsOfTheWholeGridMeet) {
  const CUfunction function = kernel(compile(kMirrored), "f");
  const unsigned grid = largest_grid(function, device);
  Words words(std::size_t{grid} * kThreads);
  std::iota(words.begin(), words.end(), 1U);
  CUdeviceptr memory = allocate(words.size() * 8);
  unsigned rounds = 6;
  ASSERT_EQ(cuMemcpyHtoD(memory, words.data(), words.size() * 4), CUDA_SUCCESS);
  void* parameters[] = {&memory, &rounds};

  ASSERT_EQ(cuLaunchCooperativeKernel(function, grid, 1, 1, kThreads, 1, 1, 0, nullptr, parameters),
            CUDA_SUCCESS);

  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  EXPECT_EQ(read(memory, words.size()), mirrored(words, rounds));
}

TEST_F(Cooperation, IsAskedForByAnAttributeAsWell) {
  const CUfunction function = kernel(compile(kMirrored), "f");
  Words words(std::size_t{8} * kThreads, 7);
  CUdeviceptr memory = allocate(words.size() * 8);
  unsigned rounds = 2;
  ASSERT_EQ(cuMemcpyHtoD(memory, words.data(), words.size() * 4), CUDA_SUCCESS);
  void* parameters[] = {&memory, &rounds};
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config{};
  config.gridDimX = 8;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = kThreads;
  config.attrs = &attribute;
  config.numAttrs = 1;

  ASSERT_EQ(cuLaunchKernelEx(&config, function, parameters, nullptr), CUDA_SUCCESS);

  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  EXPECT_EQ(read(memory, words.size()), mirrored(words, rounds));
}

TEST_F(Cooperation, OfAGridForAGpuMeetsAsWell) {
  const CUfunction function = kernel(compile(kMirrored), "f");
  constexpr unsigned kGrid = 132;
  Words words(std::size_t{kGrid} * kThreads);
  std::iota(words.begin(), words.end(), 1U);
  CUdeviceptr memory = allocate(words.size() * 8);
  unsigned rounds = 2;
  ASSERT_EQ(cuMemcpyHtoD(memory, words.data(), words.size() * 4), CUDA_SUCCESS);
  void* parameters[] = {&memory, &rounds};

  ASSERT_EQ(
      cuLaunchCooperativeKernel(function, kGrid, 1, 1, kThreads, 1, 1, 0, nullptr, parameters),
      CUDA_SUCCESS);

  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  EXPECT_EQ(read(memory, words.size()), mirrored(words, rounds));
}

TEST_F(Cooperation, OfMoreBlocksThanFitIsRefused) {
  const CUfunction function = kernel(compile(kMirrored), "f");
  CUdeviceptr memory = 0;
  unsigned rounds = 0;
  void* parameters[] = {&memory, &rounds};

  // A grid may be as large as on an H100.
  constexpr unsigned kMultiprocessors = 132;
  const unsigned largest =
      blocks_per_multiprocessor(function) * std::max(kMultiprocessors, multiprocessors(device));
  EXPECT_EQ(cuLaunchCooperativeKernel(function, largest + 1, 1, 1, kThreads, 1, 1, 0, nullptr,
                                      parameters),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST_F(Cooperation, IsMissedByAGridThatIsLaunchedWithoutIt) {
  const CUfunction function = kernel(compile(kMirrored), "f");
  const CUdeviceptr memory = allocate(std::size_t{kThreads} * 8);

  ASSERT_EQ(launch(function, {.block = kThreads}, memory, 1U), CUDA_SUCCESS);

  // cooperative_groups traps where there is no workspace.
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

// A grid as large as an H100 holds at once, whose blocks count themselves in.
TEST_F(Cooperation, IsPossibleByHandForAGridThatFitsAGpu) {
  constexpr unsigned kGrid = 132 * 2;
  constexpr unsigned kBlock = 1024;
  const CUfunction function = kernel(compile(R"(
extern "C" __global__ void f(unsigned* arrived, unsigned* sum) {
  __shared__ unsigned own;
  if (threadIdx.x == 0) {
    own = blockIdx.x;
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile unsigned*)arrived < gridDim.x) __nanosleep(20);
    __threadfence();
    atomicAdd(sum, own);
  }
  __syncthreads();
})"),
                                     "f");
  const CUdeviceptr memory = allocate(8);
  ASSERT_EQ(cuMemsetD32(memory, 0, 2), CUDA_SUCCESS);

  ASSERT_EQ(launch(function, {.grid = kGrid, .block = kBlock}, memory, memory + 4), CUDA_SUCCESS);

  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  EXPECT_EQ(read(memory, 2), (Words{kGrid, kGrid * (kGrid - 1) / 2}));
}

// Each block publishes the sum of its words, then adds up what those before it have published, a
// warp's width at a time, as far back as a sum of all that came before.
TEST_F(Cooperation, ScansByLookingBack) {
  constexpr unsigned kBlocks = 500;
  const CUfunction function = kernel(compile(R"(
struct State { unsigned flag, sum, prefix, unused; };
extern "C" __global__ void f(const unsigned* in, unsigned* out, volatile State* states, unsigned* ticket) {
  __shared__ unsigned tile, before, warp_sums[4];
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  const unsigned t = tile, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned i = t * blockDim.x + threadIdx.x;
  unsigned v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) warp_sums[warp] = v;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) v += warp_sums[w];
  if (warp == 0) {
    const unsigned sum = warp_sums[0] + warp_sums[1] + warp_sums[2] + warp_sums[3];
    if (lane == 0) {
      states[t].sum = sum;
      if (t == 0) states[t].prefix = sum;
      __threadfence();
      states[t].flag = t == 0 ? 2 : 1;
    }
    unsigned exclusive = 0;
    for (int end = (int)t; end > 0;) {
      const int k = end - 1 - (int)lane;
      unsigned flag = 2, value = 0;
      if (k >= 0) {
        while ((flag = states[k].flag) == 0) {}
        __threadfence();
        value = flag == 2 ? states[k].prefix : states[k].sum;
      }
      const unsigned complete = __ballot_sync(~0u, flag == 2);
      const unsigned last = complete ? __ffs(complete) - 1 : 31;
      unsigned part = lane <= last ? value : 0;
      for (int d = 16; d > 0; d /= 2) part += __shfl_xor_sync(~0u, part, d);
      exclusive += part;
      if (complete) break;
      end -= 32;
    }
    if (lane == 0) {
      before = exclusive;
      states[t].prefix = exclusive + sum;
      __threadfence();
      states[t].flag = 2;
    }
  }
  __syncthreads();
  out[i] = before + v;
})"),
                                     "f");
  Words words(std::size_t{kBlocks} * kThreads);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<unsigned>(i * 2654435761U);
  const CUdeviceptr in = allocate(words.size() * 4);
  const CUdeviceptr out = allocate(words.size() * 4);
  const CUdeviceptr states = allocate(std::size_t{kBlocks} * 16 + 4);
  ASSERT_EQ(cuMemcpyHtoD(in, words.data(), words.size() * 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32(states, 0, std::size_t{kBlocks} * 4 + 1), CUDA_SUCCESS);

  ASSERT_EQ(launch(function, {.grid = kBlocks, .block = kThreads}, in, out, states,
                   states + CUdeviceptr{kBlocks} * 16),
            CUDA_SUCCESS);

  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  std::partial_sum(words.begin(), words.end(), words.begin());
  EXPECT_EQ(read(out, words.size()), words);
}

// Split-K: the blocks of a column add their share in the order of a semaphore, the last first.
TEST_F(Cooperation, PassesASemaphoreFromBlockToBlock) {
  constexpr unsigned kSlices = 24;
  constexpr unsigned kColumns = 8;
  const CUfunction function = kernel(compile(R"(
extern "C" __global__ void f(unsigned* sums, unsigned* semaphores) {
  const unsigned column = blockIdx.y, slice = blockIdx.x, turn = gridDim.x - 1 - slice;
  if (threadIdx.x == 0) {
    unsigned state;
    do { asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(state) : "l"(semaphores + column) : "memory"); } while (state != turn);
  }
  __syncthreads();
  unsigned* sum = sums + column * blockDim.x + threadIdx.x;
  *sum = *sum * 3 + slice;
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("st.release.gpu.u32 [%0], %1;" :: "l"(semaphores + column), "r"(turn + 1) : "memory");
})"),
                                     "f");
  CUdeviceptr sums = allocate(std::size_t{kColumns} * kThreads * 4);
  CUdeviceptr semaphores = allocate(std::size_t{kColumns} * 4);
  ASSERT_EQ(cuMemsetD32(sums, 0, std::size_t{kColumns} * kThreads), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32(semaphores, 0, kColumns), CUDA_SUCCESS);
  void* parameters[] = {&sums, &semaphores};

  ASSERT_EQ(cuLaunchKernel(function, kSlices, kColumns, 1, kThreads, 1, 1, 0, nullptr, parameters,
                           nullptr),
            CUDA_SUCCESS);

  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  unsigned expected = 0;
  for (unsigned turn = 0; turn < kSlices; ++turn) expected = expected * 3 + (kSlices - 1 - turn);
  EXPECT_EQ(read(sums, std::size_t{kColumns} * kThreads),
            Words(std::size_t{kColumns} * kThreads, expected));
}

}  // namespace
}  // namespace emulator::api
