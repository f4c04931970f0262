#include "trial/launch/device_memory.h"

#include "autokernel/base/error.h"

namespace autokernel::trial {
namespace {

constexpr std::size_t kMemoryAlignment = 256;

}  // namespace

DeviceMemory::DeviceMemory(const driver::Device& device, std::size_t bytes) : device_(&device) {
  if (!device.info().emulated) buffers_.push_back(device.allocate(bytes));
}

driver::Address DeviceMemory::place(std::size_t bytes) {
  if (device_->info().emulated) {
    buffers_.push_back(device_->allocate(bytes));
    return buffers_.back().address();
  }
  const driver::Buffer& all = buffers_.front();
  if (rounded(bytes) > all.bytes() - used_) {
    throw Error(Stop::internal, "the memory for a kernel's buffers was taken too small");
  }
  const driver::Address address = all.address() + used_;
  used_ += rounded(bytes);
  return address;
}

std::size_t DeviceMemory::rounded(std::size_t bytes) {
  return (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
}

}  // namespace autokernel::trial
