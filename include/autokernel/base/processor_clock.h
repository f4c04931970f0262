// Processor time of a process and of all that it starts, as the kernel's scheduler counts it. What
// a parent learns by waiting leaves out children that nobody waits for.
#pragma once

#include <sys/types.h>

#include <optional>

#include "autokernel/base/descriptor.h"

namespace autokernel {

class ProcessorClock {
 public:
  // From now on. Of a process that has started nothing yet.
  explicit ProcessorClock(pid_t process);

  // Seconds, of those that have ended as well; none where the system lets nobody count
  // (perf_event_paranoid above 2, or containers that refuse perf_event_open).
  [[nodiscard]] std::optional<double> seconds() const;

 private:
  Descriptor event_;
};

}  // namespace autokernel
