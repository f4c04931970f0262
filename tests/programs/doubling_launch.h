// A launch as if it had been captured, of a kernel that doubles bytes: its input and its output lie
// in one allocation, among bytes of others, at addresses of no great alignment.
#pragma once

#include <cstring>
#include <span>
#include <string_view>

#include "autokernel/programs/captured_launch.h"

namespace autokernel::programs {

inline constexpr std::uint64_t kInputAt = 20;
inline constexpr std::uint64_t kOutputAt = 1'041;
inline constexpr std::uint64_t kDoubled = 64;  // bytes

// out[i] = 2 * in[i]
inline constexpr std::string_view kDoubling = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry doubling(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b64 %d<6>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %d3, %r1;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  ld.global.u8 %r2, [%d4];
  shl.b32 %r3, %r2, 1;
  st.global.u8 [%d5], %r3;
  ret;
}
)";

[[nodiscard]] inline CapturedLaunch doubling_launch() {
  constexpr std::uint64_t kBase = 0x7f1000000003;
  constexpr std::size_t kBytes = 2'000;
  CapturedLaunch launch;
  launch.kernel = "doubling";
  launch.grid = launch.cluster = {1, 1, 1};
  launch.block = {kDoubled, 1, 1};
  launch.major = 9;
  launch.parameters = {{0, 8}, {8, 8}};
  launch.pointers = {{0, kBase + kInputAt}, {8, kBase + kOutputAt}};
  launch.bytes.resize(2 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < 2; ++i) {
    std::memcpy(launch.bytes.data() + i * sizeof(std::uint64_t), &launch.pointers[i].address,
                sizeof(std::uint64_t));
  }
  CapturedRange range{.base = kBase, .bytes = kBytes, .kept = kBase, .before = {}, .after = {}};
  for (std::size_t i = 0; i < kBytes; ++i) {
    range.before.push_back(static_cast<std::byte>(i * 37 + 11));
  }
  range.after = range.before;
  for (std::size_t i = 0; i < kDoubled; ++i) {
    range.after[kOutputAt + i] = range.before[kInputAt + i] << 1U;
  }
  launch.ranges = {range};
  const auto code = std::as_bytes(std::span(kDoubling));
  launch.image.assign(code.begin(), code.end());
  return launch;
}

}  // namespace autokernel::programs
