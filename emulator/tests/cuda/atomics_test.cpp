// CUDA C++'s atomic functions: what is left behind, and that each thread sees a value of its own.
#include <algorithm>
#include <numeric>

#include "cuda_program.h"

namespace emulator::api {
namespace {

using U = std::uint32_t;
constexpr U kThreads = 256;

struct Row {
  const char* statement;  // on the word at p, by thread t of kThreads; q is p's pair of words
  U before;
  U after;
};

constexpr U kSum = kThreads * (kThreads - 1) / 2;  // of all t

const Row kRows[] = {
    {"atomicAdd(p, t)", 5, 5 + kSum},
    {"atomicAdd((int*)p, -1)", 100, 100U - kThreads},
    {"atomicSub(p, 2)", 1, 1U - 2 * kThreads},
    {"atomicMin(p, t + 3)", 1000, 3},
    {"atomicMin((int*)p, (int)t - 7)", 0, static_cast<U>(-7)},
    {"atomicMax(p, t * 2)", 9, 2 * kThreads - 2},
    {"atomicMax((int*)p, -(int)t)", static_cast<U>(-5), 0},
    {"atomicInc(p, 99)", 0, kThreads % 100},
    {"atomicDec(p, 9)", 5, 9},
    {"atomicAnd(p, ~(1u << (t % 16)))", 0xffffffff, 0xffff0000},
    {"atomicOr(p, 1u << (t % 20))", 0x80000000, 0x800fffff},
    {"atomicXor(p, t)", 0xf0000000, 0xf0000000},
    {"atomicExch(p, 77)", 3, 77},
    {"for (unsigned old = *(volatile unsigned*)p, seen;; old = seen) { seen = atomicCAS(p, old, "
     "old + "
     "3); if (seen == old) break; }",
     1, 1 + 3 * kThreads},
    {"atomicAdd((float*)p, 0.5f)", 0, std::bit_cast<U>(kThreads / 2.0F)},
    {"atomicAdd((float*)p, __uint_as_float(1))", 0, 0},  // flushed, as in a GPU's global memory
    {"atomicAdd((__half2*)p, __floats2half2_rn(1, 2))", 0, 0x60005c00},
    {"atomicAdd((__half*)p, __float2half(2))", 0x3c000000, 0x3c006000},
    {"atomicAdd((__nv_bfloat162*)p, __floats2bfloat162_rn(1, 0.5f))", 0, 0x43004380},
    {"atomicAdd((unsigned long long*)p, 0x100000001ull)", 0, kThreads},
    {"atomicMin((long long*)p, -(long long)t)", 0, 1U - kThreads},
    {"atomicMax((unsigned long long*)p, (unsigned long long)t << 30)", 0, 3U << 30},
    {"atomicAdd((double*)p, 1.0)", 0, 0},
    {"for (unsigned short old = *(volatile unsigned short*)p, seen;; old = seen) { seen = "
     "atomicCAS((unsigned short*)p, old, (unsigned short)(old + 1)); if (seen == old) break; }",
     0xabcd0000, 0xabcd0000 + kThreads},
    {"asm volatile(\"red.relaxed.gpu.global.add.u32 [%0], %1;\" :: \"l\"(p), \"r\"(t) : "
     "\"memory\")",
     0, kSum},
};

using Atomics = CudaProgram;

TEST_F(Atomics, LeaveWhatAnyOrderOfTheThreadsLeaves) {
  std::vector<U> before;
  std::string code =
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nextern \"C\" __global__ void f(unsigned* "
      "in, "
      "unsigned* out) {\n  const unsigned t = threadIdx.x;\n  unsigned* p = in;\n";
  for (const Row& row : kRows) {
    before.insert(before.end(), {row.before, 0, 0, 0});
    code += std::string("  ") + row.statement + ";\n  p += 4;\n";
  }
  code += "  __syncthreads();\n  for (unsigned i = t; i < " + std::to_string(std::size(kRows)) +
          "; i += blockDim.x) out[i] = in[4 * i];\n}\n";
  const auto got = run(code, before, std::size(kRows), {.block = kThreads});
  for (std::size_t r = 0; r < std::size(kRows); ++r) {
    EXPECT_EQ(got[r], kRows[r].after) << kRows[r].statement;
  }
}

TEST_F(Atomics, GiveEachThreadAPlaceOfItsOwn) {
  const auto got = run(
      "extern \"C\" __global__ void f(unsigned* in, unsigned* out) { __shared__ unsigned next; if "
      "(threadIdx.x == 0) next = 0; __syncthreads(); out[atomicAdd(&next, 1)] = threadIdx.x + 1; "
      "atomicAdd(in, 1); }",
      {0}, kThreads, {.block = kThreads});
  auto sorted = got;
  std::ranges::sort(sorted);
  std::vector<U> expected(kThreads);
  std::iota(expected.begin(), expected.end(), 1U);
  EXPECT_EQ(sorted, expected);
}

TEST_F(Atomics, OfVectorsActOnEachElement) {
  const auto got = run(R"(
extern "C" __global__ void f(unsigned* in, float* out) {
  const float x = 1.0f, y = threadIdx.x;
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %1, %2};" :: "l"(out), "f"(x), "f"(y) : "memory");
  float a, b;
  asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};" : "=f"(a), "=f"(b)
               : "l"(out + 4), "f"(x), "f"(y) : "memory");
  asm volatile("red.global.v2.f16x2.max.noftz [%0], {%1, %2};" :: "l"(out + 6), "r"(0x3c00c000u + threadIdx.x),
               "r"(0x40003c00u) : "memory");
})",
                       {0}, 8, {.block = 32});
  EXPECT_EQ(std::bit_cast<float>(got[0]), 32.0F);
  EXPECT_EQ(std::bit_cast<float>(got[1]), 496.0F);
  EXPECT_EQ(std::bit_cast<float>(got[3]), 496.0F);
  EXPECT_EQ(std::bit_cast<float>(got[4]), 32.0F);
  EXPECT_EQ(std::bit_cast<float>(got[5]), 496.0F);
  EXPECT_EQ(got[6], 0x3c000000U);  // negative numbers lose against the zeros
  EXPECT_EQ(got[7], 0x40003c00U);
}

TEST_F(Atomics, OfSixteenBytesExchangeAndCompare) {
  const auto got = run(R"(
extern "C" __global__ void f(unsigned* in, unsigned long long* out) {
  if (threadIdx.x != 0) return;
  asm volatile("{ .reg .b128 n, o; mov.b128 n, {%1, %2}; atom.global.exch.b128 o, [%0], n;"
               "  mov.b128 n, {%3, %4}; mov.b128 o, {%1, %2}; atom.global.cas.b128 o, [%0], o, n;"
               "}" :
               : "l"(out), "l"(11ull), "l"(22ull), "l"(33ull), "l"(44ull) : "memory");
})",
                       {0}, 4, {});
  EXPECT_EQ(got[0], 33U);
  EXPECT_EQ(got[2], 44U);
}

}  // namespace
}  // namespace emulator::api
