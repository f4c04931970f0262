// An entry point of kernels that keep their registers in memory (abi.h has the others).
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

// Of a register of 32 bits in each lane.
inline constexpr std::uint64_t kCopiedBytes = std::uint64_t{kWarpSize} * 4;

struct CopiedRegister {
  std::uint64_t from;  // bytes behind the first address
  std::uint64_t to;    // and behind the second
};

// Copies so many registers, one after the other.
extern "C" void emu_move(WarpContext* context, const std::uint8_t* from, std::uint8_t* to,
                         const CopiedRegister* copies, std::uint32_t count);

}  // namespace emulator::runtime
