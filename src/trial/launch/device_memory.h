// Where the buffers of several sets of operands lie on a device.
#pragma once

#include <cstddef>
#include <vector>

#include "autokernel/driver/device.h"

namespace autokernel::trial {

// On a GPU they lie in one allocation: a hundred of them, made and given back, take as long as a
// launch with all that belongs to it. On the emulated device each is one of its own, as every
// access is checked against the buffer that it is in.
class DeviceMemory {
 public:
  // Room for buffers of so many bytes in all, each counted as its rounded() size.
  DeviceMemory(const driver::Device& device, std::size_t bytes);

  // The next buffer's address, a multiple of 256 as those of allocations are. Throws
  // Error(internal) where there is no room left.
  [[nodiscard]] driver::Address place(std::size_t bytes);
  [[nodiscard]] static std::size_t rounded(std::size_t bytes);

 private:
  const driver::Device* device_;
  std::vector<driver::Buffer> buffers_;
  std::size_t used_ = 0;  // of the one there is on a GPU
};

}  // namespace autokernel::trial
