// The program's calls that launch kernels and graphs, and those that take a context down with the
// records of what it ran, as CUPTI calls back in the midst of each.
#pragma once

#include <atomic>
#include <cstdint>

#include "cupti.h"
#include "cupti_library.h"
#include "device_lines.h"
#include "driver_library.h"
#include "recorder.h"

namespace recording {

class Launches {
 public:
  Launches(Recorder& recorder, const DriverLibrary& driver, DeviceLines& devices)
      : recorder_(recorder), driver_(driver), devices_(devices) {}

  // Has CUPTI call back, from now on. Calls that this CUPTI does not know are left out.
  void watch(const CuptiLibrary& cupti, cupti::Subscriber subscriber);
  static void called(void* launches, cupti::Domain domain, std::uint32_t call, const void* data);

  // Of single kernels that ran: a launch that failed, or became a node of a graph, does not count.
  [[nodiscard]] std::uint64_t kernels() const { return kernels_.load(std::memory_order_relaxed); }

 private:
  void ended(cupti::DriverCall call, const cupti::CallbackData& data);
  [[nodiscard]] bool is_captured(cupti::DriverCall call, const void* parameters) const;

  Recorder& recorder_;
  const DriverLibrary driver_;
  DeviceLines& devices_;
  std::atomic<std::uint64_t> kernels_{0};
  // Asking the driver at each launch whether its stream is captured would cost as much as all else:
  // it is asked only in programs that have begun a capture.
  std::atomic<bool> captures_{false};
};

}  // namespace recording
