// Memory whose addresses fit into 32 bits, whichever way they are extended.
#pragma once

#include <memory_resource>

namespace emulator::runtime {

// Safe for use by several threads at once, and never destroyed. Where below 2 GiB there is no room
// left, after a GiB, it goes on anywhere else. Throws std::bad_alloc.
[[nodiscard]] std::pmr::memory_resource& low_memory();

}  // namespace emulator::runtime
