// What a multiprocessor computes with, and how much of it a device could do at most.
#pragma once

#include <cstdint>
#include <optional>

#include "autokernel/driver/device_info.h"

namespace autokernel::driver {

// Tensor cores by their inputs, from the narrowest on; they add up in fp32 or int32 (fp64 in fp64)
// unless the name says fp16. Then what one thread does by itself; dp4a is four products of int8.
enum class Unit : std::uint8_t {
  tensor_fp4,
  tensor_int4,
  tensor_fp8_in_fp16,
  tensor_fp8,
  tensor_int8,
  tensor_fp16_in_fp16,
  tensor_fp16,
  tensor_bf16,
  tensor_tf32,
  tensor_fp64,
  fp32,
  fp16,
  bf16,
  fp64,
  dp4a,
  int32
};
inline constexpr int kUnits = static_cast<int>(Unit::int32) + 1;

// "tensor bf16", "fp32".
[[nodiscard]] const char* spelling(Unit unit);

// The most that this very device could compute with it: dense, without sparsity, at its highest
// clock, 10^12 operations per second. Empty for the emulated device, for a capability that is not
// in the table, and where the hardware lacks the unit or its rate is not published.
[[nodiscard]] std::optional<double> peak_tflops(const DeviceInfo& device, Unit unit);

}  // namespace autokernel::driver
