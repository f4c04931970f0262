// From an address, as kernels and the driver API hold it, to memory of this process.
#pragma once

#include <cstdint>

namespace emulator::runtime {

template <typename T = void>
[[nodiscard]] T* host_pointer(std::uint64_t address) {
  // Addresses are numbers by nature here: kernels compute them. The one place where that becomes a
  // pointer.
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace emulator::runtime
