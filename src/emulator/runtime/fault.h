// What a launch failed with: the kind, which decides the error code, and a sentence for people.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/runtime/abi.h"

namespace emulator::runtime {

struct Fault {
  FaultKind kind;
  std::string text;
};

// The words all faults share; `lane` is a lane of the context's warp.
[[nodiscard]] std::string thread_name(const WarpContext& context,
                                      unsigned lane);              // "thread (5,2,0)"
[[nodiscard]] std::string block_name(const WarpContext& context);  // "block (1,0,0)"
// "0x7f.."
[[nodiscard]] std::string hex(std::uint64_t value);
// Position in the block of thread `lane` of the warp, linear.
[[nodiscard]] std::uint32_t linear_thread(const WarpContext& context, unsigned lane);

}  // namespace emulator::runtime
