// The cost of resetting a kernel's module objects. Whoever uses the kernel launches it again and
// again, and has to reset what a launch changed before the next: so that is timed, as the zeroing
// of a workspace is. Objects that stay as they were cost nothing.
#pragma once

#include <optional>
#include <span>

#include "autokernel/driver/device.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// A variable of the module, __device__ or __constant__, with the bytes it must have at each launch.
struct ModuleObject {
  driver::Address address = 0;
  Bytes initial;
};

class RestoreCost {
 public:
  // Nothing is known to change. `objects` and `device` must live longer.
  RestoreCost(const driver::Device& device, std::span<const ModuleObject> objects);

  // Queues work that costs as much as resetting the objects that are known to change. It changes no
  // object that has its initial bytes.
  [[nodiscard]] std::optional<driver::Fault> queue(const driver::Stream& stream) const;
  // How many things that queues, at most two for each object.
  [[nodiscard]] std::size_t queued() const;

  // After a launch, with nothing running: whether it changed an object that was not known to.
  [[nodiscard]] bool note_changes();

 private:
  struct Known {
    const ModuleObject* object;
    bool is_zero;  // to begin with
    bool changes = false;
  };

  const driver::Device* device_;
  std::vector<Known> objects_;
  driver::Buffer scratch_;
  Bytes found_;
};

}  // namespace autokernel::trial
