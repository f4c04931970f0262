// A fault of the device in the words of the case: which tensor, which element, which line.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "autokernel/driver/fault.h"
#include "autokernel/driver/memory.h"

namespace autokernel::trial {

// Memory that the kernel was given, and what its user calls it.
struct NamedBuffer {
  std::string name;  // "A"
  driver::Address begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t element_bytes = 0;  // 0: it has no elements, bytes alone
};

// "kernel.cu:27"; empty where the device does not say.
[[nodiscard]] std::string place_of(const driver::Fault& fault);

// "out-of-bounds load of 4 bytes at A[131072], one past its end (it has 131072 elements), by thread
// (0,0,0) of block (3,0,0): ld.global.f32 %f1, [%rd1]". The driver's own words where it says no
// more, or where they say more.
[[nodiscard]] std::string fault_text(const driver::Fault& fault,
                                     std::span<const NamedBuffer> buffers);

}  // namespace autokernel::trial
