// Where the memory that an address leads to begins and ends.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <optional>

namespace autokernel::inject {

struct MemoryRange {
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;

  [[nodiscard]] CUdeviceptr end() const { return begin + bytes; }
  [[nodiscard]] bool holds(CUdeviceptr address, std::size_t count) const {
    return begin <= address && address - begin <= bytes && bytes - (address - begin) >= count;
  }
};

// The allocation around an address. Of memory that the program maps by itself (cuMemMap), all that
// is mapped around it without a gap: pools grow piece by piece, within addresses that were reserved
// for far more. None where the address leads to no memory.
[[nodiscard]] std::optional<MemoryRange> memory_at(CUdeviceptr address);

// Whether as many bytes from there on are memory, in one such range. Takes a microsecond less where
// they lie in one allocation.
[[nodiscard]] bool is_memory(CUdeviceptr address, std::size_t bytes);

}  // namespace autokernel::inject
