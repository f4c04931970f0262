// Device code of the harness's own, and what it takes to queue it.
#pragma once

#include <array>
#include <optional>

#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"

namespace autokernel::trial {

class HarnessModule {
 public:
  // Throws Error(environment) where the device does not take the program: a kernel that was refused
  // by it is not to blame then. The device must live longer.
  HarnessModule(const driver::Device& device, const compile::Program& program);
  // Throws Error(internal) where there is none of that name.
  [[nodiscard]] driver::Kernel kernel(const char* name) const;

 private:
  driver::Module module_;
};

// The harness's kernels cannot fault by themselves; a fault there is that of a launch before.
// Throws Error(environment).
void expect_queued(const std::optional<driver::Fault>& fault);

template <typename... Parameters>
void queue(const driver::Stream& stream, const driver::Kernel& kernel, const driver::Shape& shape,
           Parameters... parameters) {
  std::array<void*, sizeof...(Parameters)> addresses = {static_cast<void*>(&parameters)...};
  expect_queued(stream.launch(kernel, shape, addresses));
}

}  // namespace autokernel::trial
