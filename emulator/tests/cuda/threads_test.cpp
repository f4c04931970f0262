// CUDA C++ that lanes of a warp cannot do together: functions that call themselves, virtual
// functions and pointers to functions, locks taken by single lanes, lanes that wait for each other.
#include <cstdlib>
#include <numeric>

#include "cuda_program.h"

namespace emulator::api {
namespace {

using ::testing::HasSubstr;
using U = std::uint32_t;

std::vector<U> counting(std::size_t count) {
  std::vector<U> words(count);
  std::iota(words.begin(), words.end(), 0U);
  return words;
}

class Threads : public CudaProgram {
 protected:
  static void allow_stack(std::size_t bytes) {
    ASSERT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, bytes), CUDA_SUCCESS);
  }
};

TEST_F(Threads, CallFunctionsThatCallThemselves) {
  allow_stack(16384);
  const auto got = run(R"(
struct Node { unsigned value; int left, right; };
__device__ __noinline__ unsigned weigh(const Node* nodes, int root, unsigned depth) {
  if (root < 0) return 0;
  const Node node = nodes[root];
  unsigned path[4] = {depth, node.value, 0, 0};
  path[node.value % 4] += weigh(nodes, node.left, depth + 1);
  path[(node.value + 1) % 4] += weigh(nodes, node.right, depth + 1);
  return path[0] + path[1] + path[2] + path[3];
}
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  __shared__ Node nodes[63];
  for (int i = threadIdx.x; i < 63; i += blockDim.x)
    nodes[i] = {in[i] * 7 + 3, 2 * i + 1 < 63 ? 2 * i + 1 : -1, 2 * i + 2 < 63 ? 2 * i + 2 : -1};
  __syncthreads();
  out[threadIdx.x] = weigh(nodes, threadIdx.x % 63, 0);
})",
                       counting(64), 64, {.block = 64});

  const auto weigh = [](const auto& self, U node, U depth) -> U {
    if (node >= 63) return 0;
    return depth + 7 * node + 3 + self(self, 2 * node + 1, depth + 1) +
           self(self, 2 * node + 2, depth + 1);
  };
  for (U t = 0; t < 64; ++t) EXPECT_EQ(got[t], weigh(weigh, t % 63, 0)) << t;
}

TEST_F(Threads, CallVirtualFunctionsOfObjectsOfTheirOwn) {
  const auto got = run(R"(
struct Shape {
  __device__ virtual unsigned area(unsigned scale) const = 0;
  __device__ virtual unsigned corners() const { return 0; }
};
struct Square : Shape {
  unsigned a;
  __device__ Square(unsigned side) : a(side) {}
  __device__ unsigned area(unsigned scale) const override { return a * a * scale; }
  __device__ unsigned corners() const override { return 4; }
};
struct Box : Square {
  unsigned b;
  __device__ Box(unsigned x, unsigned y) : Square(x), b(y) {}
  __device__ unsigned area(unsigned scale) const override { return a * b * scale; }
};
struct Round : Shape {
  unsigned r;
  __device__ Round(unsigned radius) : r(radius) {}
  __device__ unsigned area(unsigned scale) const override { return 3 * r * r * scale; }
};
__device__ __noinline__ unsigned measure(const Shape* shape, unsigned scale) {
  return shape->area(scale) * 10 + shape->corners();
}
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  const unsigned t = in[threadIdx.x];
  Square square(t);
  Box box(t, t + 1);
  Round round(t);
  const Shape* shape = t % 3 == 0 ? (const Shape*)&square : t % 3 == 1 ? (const Shape*)&box : &round;
  out[threadIdx.x] = measure(shape, 2);
})",
                       counting(64), 64, {.block = 64});

  for (U t = 0; t < 64; ++t) {
    const U area = t % 3 == 0 ? t * t : (t % 3 == 1 ? t * (t + 1) : 3 * t * t);
    EXPECT_EQ(got[t], area * 2 * 10 + (t % 3 == 2 ? 0 : 4)) << t;
  }
}

TEST_F(Threads, CallThroughTablesOfPointersAndPrintThere) {
  ::testing::internal::CaptureStdout();
  const auto got = run(R"(
typedef unsigned (*Operation)(unsigned, unsigned);
__device__ __noinline__ unsigned plus(unsigned a, unsigned b) { return a + b; }
__device__ __noinline__ unsigned times(unsigned a, unsigned b) { return a * b; }
__device__ __noinline__ unsigned say(unsigned a, unsigned b) { return printf("say %u %u\n", a, b); }
__device__ Operation table[3] = {plus, times, say};
__constant__ Operation fixed[2] = {times, plus};
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  const unsigned t = threadIdx.x;
  out[t] = table[t == 9 ? 2 : t % 2](in[t], 5) + 1000 * fixed[in[t] % 2](t, 3);
})",
                       counting(32), 32, {.block = 32});
  const std::string printed = ::testing::internal::GetCapturedStdout();

  EXPECT_THAT(printed, HasSubstr("say 9 5\n"));
  for (U t = 0; t < 32; ++t) {
    const U first = t == 9 ? 2 : (t % 2 == 0 ? t + 5 : t * 5);
    EXPECT_EQ(got[t], first + 1000 * (t % 2 == 0 ? t * 3 : t + 3)) << t;
  }
}

TEST_F(Threads, EachTakeALockAroundAList) {
  const auto got = run(R"(
__device__ int lock;
__device__ int head = -1;
__device__ int next[256];
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  next[t] = *(volatile int*)&head;
  *(volatile int*)&head = t;
  __threadfence();
  atomicExch(&lock, 0);
  atomicAdd(out, 1);
  __threadfence();
  while (*(volatile unsigned*)out != 128) {}
  if (t != 0) return;
  unsigned sum = 0, length = 0;
  for (int i = *(volatile int*)&head; i >= 0; i = ((volatile int*)next)[i]) sum += i, ++length;
  out[1] = sum;
  out[2] = length;
})",
                       counting(1), 3, {.grid = 2, .block = 64});

  EXPECT_EQ(got[1], 127U * 128 / 2);
  EXPECT_EQ(got[2], 128U);
}

TEST_F(Threads, HandValuesFromLaneToLane) {
  const auto got = run(R"(
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  __shared__ volatile unsigned turn, value;
  if (threadIdx.x == 0) turn = 0, value = 1;
  __syncthreads();
  while (turn != 31 - threadIdx.x) {}
  value = value * 3 + in[threadIdx.x];
  out[threadIdx.x] = value;
  __threadfence_block();
  turn = turn + 1;
})",
                       counting(32), 32, {.block = 32});

  U value = 1;
  for (U t = 32; t-- > 0;) {
    value = value * 3 + t;
    EXPECT_EQ(got[t], value) << t;
  }
}

TEST_F(Threads, ShuffleInBranchesOfTheirOwn) {
  const auto got = run(R"(
__device__ __noinline__ unsigned sum(unsigned lanes, unsigned value, unsigned width) {
  if (width == 0) return value;
  return sum(lanes, value + __shfl_xor_sync(lanes, value, width), width / 2);
}
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  const unsigned t = threadIdx.x, value = in[t];
  if (t < 16) {
    out[t] = sum(0xffff, value, 8);
  } else {
    out[t] = sum(0xffff0000, value * 2, 8) + (__any_sync(0xffff0000, t == 20) ? 1 : 0);
  }
})",
                       counting(32), 32, {.block = 32});

  for (U t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 16 ? 120 : 2 * 376 + 1) << t;
}

TEST_F(Threads, ThatCallTooDeeplyAreAFault) {
  const char* text = R"(
.func down(.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r1, [n]; call down, (%r1); ret; }
.visible .entry k() { call down, (1); ret; })";

  EXPECT_EQ(launch(kernel(text), {}), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(emuFaultReport(), HasSubstr("CU_LIMIT_STACK_SIZE"));
}

TEST_F(Threads, HaveAsMuchStackAsTheProgramAskedFor) {
  const char* text = R"(
.func (.param .b32 out) count(.param .b32 n) {
  .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE; sub.u32 %r1, %r1, 1; call (%r2), count, (%r1);
  add.u32 %r2, %r2, 1; DONE: st.param.b32 [out], %r2; ret; }
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [out]; call (%r1), count, (5000);
  st.global.u32 [%rd1], %r1; ret; })";
  const CUdeviceptr out = allocate(4);
  std::size_t limit = 0;
  ASSERT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, std::size_t{512} << 10), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(limit, std::size_t{512} << 10);

  EXPECT_EQ(launch(kernel(text), {.block = 1}, out), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  EXPECT_EQ(read(out, 1)[0], 5000U);
}

TEST_F(Threads, AreNotRunWhereAPersonWantsWarps) {
  const std::string text =
      ptx(".func down() { call down; ret; }\n.visible .entry k() { call down; ret; }\n");
  CUmodule module = nullptr;
  ASSERT_EQ(setenv("EMULATED_CUDA_ENGINE", "warps", 1), 0);
  EXPECT_NE(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
  ASSERT_EQ(unsetenv("EMULATED_CUDA_ENGINE"), 0);

  EXPECT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
}

TEST_F(Threads, HaveNoMoreStackThanAGpuWouldGive) {
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, std::size_t{1} << 20), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace emulator::api
