#include "autokernel/base/processor_clock.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace autokernel {
namespace {

[[nodiscard]] Descriptor opened_for(pid_t process) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.inherit = 1;
  // What everybody may count of his own processes; this clock runs in the kernel all the same.
  attributes.exclude_kernel = 1;
  constexpr int kAnyProcessor = -1;
  constexpr int kNoGroup = -1;
  return Descriptor(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, process,
                                               kAnyProcessor, kNoGroup, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

ProcessorClock::ProcessorClock(pid_t process) : event_(opened_for(process)) {}

std::optional<double> ProcessorClock::seconds() const {
  std::uint64_t nanoseconds = 0;
  if (!event_.is_open() ||
      ::read(event_.get(), &nanoseconds, sizeof nanoseconds) != sizeof nanoseconds)
    return std::nullopt;
  constexpr double kNanosecond = 1e-9;
  return kNanosecond * static_cast<double>(nanoseconds);
}

}  // namespace autokernel
