// Reads a Chrome trace event by event: one is in memory at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/driver/device_info.h"
#include "programs/profile/pieces.h"
#include "programs/profile/trace_event.h"

namespace autokernel::programs {

// What a trace says besides its events.
struct TraceHeader {
  std::vector<driver::DeviceInfo> devices;  // by ordinal, as the file lists them
  std::optional<std::int64_t> rank;         // in a distributed program
  // The texts that stand for processes and threads: the number of the first is kFirstText, and each
  // further one has one less.
  std::vector<std::string> texts;
  bool is_trace = false;  // it has a list of events, be it empty
  bool is_cut = false;    // the list is not closed, as is allowed where it is all there is
};
inline constexpr std::int64_t kFirstText = -2;

// Calls `take` for each event in turn; it may move from what it is given. Throws Error(usage),
// "ATTEMPT: why", for text that is no JSON or is cut, and for JSON that is nested without end.
[[nodiscard]] TraceHeader read_trace(Pieces json, const std::string& attempt,
                                     const std::function<void(TraceEvent&)>& take);

}  // namespace autokernel::programs
