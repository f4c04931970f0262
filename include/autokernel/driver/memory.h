// Device memory and the host memory a device can see, each with one owner.
#pragma once

#include <cstddef>
#include <cstdint>

#include "autokernel/base/owned.h"

namespace autokernel::driver {

// An address in device memory. On the emulated device it is an address of this process; no one
// relies on it.
using Address = std::uint64_t;

class Buffer {
 public:
  Buffer() = default;
  Buffer(Owned<Address> address, std::size_t bytes) : address_(std::move(address)), bytes_(bytes) {}
  [[nodiscard]] Address address() const noexcept { return address_.get(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  Owned<Address> address_;
  std::size_t bytes_ = 0;
};

// Page-locked host memory that kernels can read and write while they run: for flags between host
// and device.
class MappedBuffer {
 public:
  MappedBuffer(Owned<void*> host, Address device) : host_(std::move(host)), device_(device) {}
  [[nodiscard]] void* host() const noexcept { return host_.get(); }
  [[nodiscard]] Address device() const noexcept { return device_; }

 private:
  Owned<void*> host_;
  Address device_;
};

}  // namespace autokernel::driver
