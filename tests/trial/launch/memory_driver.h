// A driver whose device is this process: device memory is host memory, a kernel is a function of
// the test, and everything queued is written down. It passes for a GPU, so that the protocol for
// GPUs can be followed where there is none.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/driver/device.h"
#include "driver/api.h"

namespace autokernel::trial {

// How much room a buffer is said to have that another process shares.
inline constexpr std::size_t kSharedBytes = std::size_t{2} << 20U;

// One at a time: the driver's functions know no object, and find the living one.
class MemoryDriver {
 public:
  using Kernel = std::function<void(void** parameters)>;

  MemoryDriver();
  MemoryDriver(const MemoryDriver&) = delete;
  MemoryDriver& operator=(const MemoryDriver&) = delete;
  MemoryDriver(MemoryDriver&&) = delete;
  MemoryDriver& operator=(MemoryDriver&&) = delete;
  ~MemoryDriver();

  // What a kernel of that name does; nothing where it is not told.
  std::map<std::string, Kernel> kernels;
  // What an event pair reads.
  float microseconds = 100;
  // "launch matmul", "record", "wait", "reset L2", in the order they came.
  std::vector<std::string> journal;

  [[nodiscard]] const driver::Device& device() const { return *device_; }

 private:
  std::unique_ptr<driver::Driver> driver_;
  std::unique_ptr<driver::Device> device_;
};

}  // namespace autokernel::trial
