// Device functions, local arrays, structures by value, switches, printf: what the compiler makes of
// ordinary C++.
#include "cuda_program.h"

namespace emulator::api {
namespace {

using U = std::uint32_t;

std::vector<U> values() {
  std::vector<U> words(64);
  for (U i = 0; i < 64; ++i) words[i] = i * 40503U + 7;
  return words;
}

using Functions = CudaProgram;

struct Numbers {
  int a[6];
  double d;
};
Numbers numbers(int x) {
  Numbers s{};
  for (int i = 0; i < 6; ++i) s.a[i] = x * (i + 1);
  s.d = x * 0.5;
  return s;
}
constexpr const char* kNumbers = R"(
struct Numbers { int a[6]; double d; };
__device__ __noinline__ Numbers numbers(int x) {
  Numbers s;
  for (int i = 0; i < 6; ++i) s.a[i] = x * (i + 1);
  s.d = x * 0.5;
  return s;
}
__device__ __noinline__ int pick(Numbers s, int i) { return s.a[i] + (int)s.d; }
__device__ __noinline__ void small(unsigned char c, short s, bool add, int* out) {
  if (add) { *out += c + s; return; }
  *out = c - s;
}
__device__ __noinline__ float2 pair(float x) { return make_float2(x + 1, x * 2); }
)";

TEST_F(Functions, TakeAndGiveStructuresAndSmallTypes) {
  const auto got = run(std::string(kNumbers) + R"(
extern "C" __global__ void f(const int* in, int* out) {
  const int t = threadIdx.x, x = in[t] & 0xffff;
  int r = pick(numbers(x), t % 6);
  small(t, -3 * t, t & 1, &r);
  const float2 p = pair(t);
  out[t] = r + 1000 * (int)p.x + (int)p.y;
})",
                       values(), 64, {.block = 64});
  for (int t = 0; t < 64; ++t) {
    const Numbers s = numbers(static_cast<int>(values()[static_cast<std::size_t>(t)] & 0xffffU));
    int r = s.a[t % 6] + static_cast<int>(s.d);
    r = (t & 1) != 0 ? r + t - 3 * t : t + 3 * t;
    ASSERT_EQ(static_cast<int>(got[static_cast<std::size_t>(t)]), r + 1000 * (t + 1) + 2 * t) << t;
  }
}

TEST_F(Functions, WithLocalArraysIndexedAtRunTime) {
  const auto got = run(R"(
__device__ __noinline__ unsigned sorted(const unsigned* in, unsigned t, unsigned which) {
  unsigned v[8];
  for (int i = 0; i < 8; ++i) v[i] = in[(t + i * 5) % 64];
  for (int i = 1; i < 8; ++i)
    for (int j = i; j > 0 && v[j - 1] > v[j]; --j) { unsigned x = v[j]; v[j] = v[j - 1]; v[j - 1] = x; }
  return v[which];
}
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = sorted(in, threadIdx.x, threadIdx.x % 8);
})",
                       values(), 64, {.block = 64});
  for (U t = 0; t < 64; ++t) {
    std::vector<U> v;
    v.reserve(8);
    for (U i = 0; i < 8; ++i) v.push_back(values()[(t + i * 5) % 64]);
    std::ranges::sort(v);
    ASSERT_EQ(got[t], v[t % 8]) << t;
  }
}

TEST_F(Functions, WithSwitchesJumpAsEachLaneAsks) {
  const auto got = run(R"(
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  const unsigned t = threadIdx.x;
  unsigned r = in[t];
  for (unsigned i = 0; i < 4; ++i) {
    switch ((r >> 3) % 7) {
      case 0: r = r * 3 + in[0]; break;
      case 1: r ^= in[(t + 1) % 64]; break;
      case 2: r -= 17; // falls through
      case 3: r = __brev(r); break;
      case 4: out[64 + t] += 1; break;
      case 5: r = r << 5 | r >> 27; break;
      default: r += t;
    }
    r += i;
  }
  out[t] = r;
})",
                       values(), 128, {.block = 64});
  for (U t = 0; t < 64; ++t) {
    U r = values()[t];
    for (U i = 0; i < 4; ++i) {
      const auto reversed = [](U x) {
        U y = 0;
        for (int k = 0; k < 32; ++k) y |= ((x >> k) & 1U) << (31 - k);
        return y;
      };
      switch ((r >> 3) % 7) {
        case 0:
          r = r * 3 + values()[0];
          break;
        case 1:
          r ^= values()[(t + 1) % 64];
          break;
        case 2:
          r = reversed(r - 17);
          break;
        case 3:
          r = reversed(r);
          break;
        case 4:
          break;
        case 5:
          r = r << 5 | r >> 27;
          break;
        default:
          r += t;
      }
      r += i;
    }
    ASSERT_EQ(got[t], r) << t;
  }
}

TEST_F(Functions, PrintFromWithinCalls) {
  ::testing::internal::CaptureStdout();
  static_cast<void>(run(R"(
__device__ __noinline__ void say(const char* what, int n, double x) { printf("%s %d %.3f\n", what, n, x); }
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  if (threadIdx.x % 16 == 5) say("lane", threadIdx.x, threadIdx.x * 0.25);
  printf("%c%llu|%x|%5.2e\n", 'a' + threadIdx.x, 1ull << 40, in[0], 1234.5f);
})",
                        values(), 1, {.block = 1 + 5}));
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(printed.find("lane 5 1.250\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("f1099511627776|7|1.23e+03\n"), std::string::npos) << printed;
}

TEST_F(Functions, KeepGlobalConstantAndStaticVariables) {
  const auto got = run(R"(
__constant__ int table[4] = {3, 1, 4, 1};
__device__ unsigned counter = 10;
__device__ __noinline__ unsigned count() { return atomicAdd(&counter, 1); }
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  const unsigned mine = count();
  __threadfence();
  out[mine - 10] = table[mine % 4];
})",
                       values(), 64, {.block = 64});
  constexpr U kTable[] = {3, 1, 4, 1};
  for (U t = 0; t < 64; ++t) EXPECT_EQ(got[t], kTable[(t + 10) % 4]);
}

}  // namespace
}  // namespace emulator::api
