// What instructions on matrices require of the lanes that run them.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

// .aligned instructions on matrices: every lane holds a part. Does not come back where one is
// missing; nothing in the caller's frame may own anything.
void require_all_lanes(WarpContext& context, std::uint32_t mask, std::uint32_t line);

// Reports, and leaves it to the caller to abandon the block, that the instruction at `line` touches
// a register that the wgmma at `product_line` may still be reading or writing.
void report_under_way(WarpContext& context, std::uint32_t line, std::uint32_t product_line);

}  // namespace emulator::runtime
