// What CUDA C++ offers for the lanes of a warp and the threads of a block.
#include <algorithm>
#include <numeric>

#include "cuda_program.h"

namespace emulator::api {
namespace {

std::vector<std::uint32_t> values() {
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t i = 0; i < 32; ++i) words[i] = i * 2654435761U;
  return words;
}

struct Row {
  const char* expression;  // of v (this lane's word), lane, and all lanes' words
  std::uint32_t (*expected)(const std::vector<std::uint32_t>& v, std::uint32_t lane);
};

using V = std::vector<std::uint32_t>;
using U = std::uint32_t;

U ballot(const V& v, bool (*holds)(U word)) {
  U bits = 0;
  for (U i = 0; i < 32; ++i) bits |= U{holds(v[i])} << i;
  return bits;
}

const Row kRows[] = {
    {"__shfl_sync(~0u, v, lane * 7)", [](const V& v, U lane) { return v[lane * 7 % 32]; }},
    {"__shfl_sync(~0u, v, 3, 8)", [](const V& v, U lane) { return v[(lane & ~7U) + 3]; }},
    {"__shfl_up_sync(~0u, v, 5)", [](const V& v, U lane) { return v[lane < 5 ? lane : lane - 5]; }},
    {"__shfl_up_sync(~0u, v, 3, 16)",
     [](const V& v, U lane) { return v[lane % 16 < 3 ? lane : lane - 3]; }},
    {"__shfl_down_sync(~0u, v, 9)",
     [](const V& v, U lane) { return v[lane + 9 > 31 ? lane : lane + 9]; }},
    {"__shfl_down_sync(~0u, v, lane & 3, 4)",
     [](const V& v, U lane) { return v[lane % 4 + (lane & 3U) > 3 ? lane : lane + (lane & 3U)]; }},
    {"__shfl_xor_sync(~0u, v, 21)", [](const V& v, U lane) { return v[lane ^ 21U]; }},
    {"(unsigned)(__shfl_xor_sync(~0u, (unsigned long long)v << 32 | lane, 1) >> 16)",
     [](const V& v, U lane) { return v[lane ^ 1U] << 16; }},
    {"__float_as_uint(__shfl_sync(~0u, (float)lane, 6))",
     [](const V&, U) { return std::bit_cast<U>(6.0F); }},
    {"__ballot_sync(~0u, v & 1)",
     [](const V& v, U) { return ballot(v, [](U w) { return (w & 1U) != 0; }); }},
    {"__any_sync(~0u, v == 0) + 2 * __all_sync(~0u, v == 0)", [](const V&, U) { return 1U; }},
    {"__match_any_sync(~0u, v >> 30)",
     [](const V& v, U lane) {
       U bits = 0;
       for (U i = 0; i < 32; ++i) bits |= U{v[i] >> 30 == v[lane] >> 30} << i;
       return bits;
     }},
    {"match_all(5, lane)", [](const V&, U) { return 0xffffffffU; }},
    {"match_all(v, lane)", [](const V&, U) { return 0U; }},
    {"__reduce_add_sync(~0u, v)",
     [](const V& v, U) { return std::accumulate(v.begin(), v.end(), 0U); }},
    {"__reduce_min_sync(~0u, v | 1)",
     [](const V& v, U) {
       U low = ~0U;
       for (const U w : v) low = std::min(low, w | 1U);
       return low;
     }},
    {"(unsigned)__reduce_max_sync(~0u, (int)v)",
     [](const V& v, U) {
       std::int32_t high = INT32_MIN;
       for (const U w : v) high = std::max(high, static_cast<std::int32_t>(w));
       return static_cast<U>(high);
     }},
    {"__reduce_or_sync(~0u, 1u << (lane & 7)) + __reduce_xor_sync(~0u, lane == 4 ? 256u : 0u)",
     [](const V&, U) { return 511U; }},
    {"__reduce_and_sync(~0u, ~(1u << lane >> 4))", [](const V&, U) { return 0xf0000000U; }},
    {"halves(v, lane)",
     [](const V& v, U lane) {
       U sum = 0;
       for (U i = lane < 12 ? 0 : 12; i < (lane < 12 ? 12U : 32U); ++i) sum += v[i];
       return sum;
     }},
    {"__popc(__activemask())", [](const V&, U) { return 32U; }},
    {"__syncthreads_count(v & 1)",
     [](const V& v, U) {
       return static_cast<U>(std::ranges::count_if(v, [](U w) { return (w & 1U) != 0; }));
     }},
    {"__syncthreads_or(lane == 9) + 2 * __syncthreads_and(lane < 31)",
     [](const V&, U) { return 1U; }},
    {"lane_mask_lt()", [](const V&, U lane) { return (1U << lane) - 1; }},
};

constexpr const char* kPrelude = R"(
__device__ unsigned match_all(unsigned v, unsigned lane) {
  int all = 0;
  const unsigned mask = __match_all_sync(~0u, v, &all);
  return all ? mask : 0;
}
__device__ unsigned halves(unsigned v, unsigned lane) {
  if (lane < 12) return __reduce_add_sync(0x00000fff, v);
  return __reduce_add_sync(0xfffff000, v);
}
__device__ unsigned lane_mask_lt() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
)";

using Warp = CudaProgram;

TEST_F(Warp, IntrinsicsGiveWhatTheOtherLanesHold) {
  std::string code = kPrelude;
  code +=
      "extern \"C\" __global__ void f(const unsigned* in, unsigned* out) {\n  const unsigned lane "
      "= "
      "threadIdx.x, v = in[lane];\n";
  for (std::size_t r = 0; r < std::size(kRows); ++r) {
    code += "  out[" + std::to_string(32 * r) + " + lane] = " + kRows[r].expression + ";\n";
  }
  const auto got = run(code + "}\n", values(), 32 * std::size(kRows), {});
  for (std::size_t r = 0; r < std::size(kRows); ++r) {
    for (U lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(got[32 * r + lane], kRows[r].expected(values(), lane))
          << kRows[r].expression << " of lane " << lane;
    }
  }
}

TEST_F(Warp, NamedBarriersHoldTheWarpsTheyCount) {
  // Two warps fill a buffer and only arrive; two others wait for them.
  const auto got = run(R"(
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  __shared__ unsigned buffer[64];
  const unsigned t = threadIdx.x;
  if (t < 64) {
    buffer[t] = in[t % 32] + t;
    asm volatile("bar.arrive 3, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 128;" ::: "memory");
    out[t - 64] = buffer[127 - t];
  }
})",
                       values(), 64, {.block = 128});
  for (U t = 0; t < 64; ++t) EXPECT_EQ(got[t], values()[(63 - t) % 32] + 63 - t);
}

TEST_F(Warp, ThreadsOfABlockScanTogether) {
  const auto got = run(R"(
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  __shared__ unsigned sums[8];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned v = in[lane] ^ t;
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    unsigned s = lane < 8 ? sums[lane] : 0;
    for (int d = 1; d < 8; d *= 2) {
      const unsigned other = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += other;
    }
    if (lane < 8) sums[lane] = s;
  }
  __syncthreads();
  out[t] = v + (warp > 0 ? sums[warp - 1] : 0);
})",
                       values(), 256, {.block = 256});
  U sum = 0;
  for (U t = 0; t < 256; ++t) {
    sum += values()[t % 32] ^ t;
    ASSERT_EQ(got[t], sum) << t;
  }
}

}  // namespace
}  // namespace emulator::api
