// The names of what is read of a Chrome trace. They are compared without regard to case: versions
// of PyTorch differ in it.
#pragma once

#include <cstdint>
#include <string>

#include "programs/profile/trace_event.h"

namespace autokernel::programs {

enum class TraceKey : std::uint8_t {
  other,
  // of the file
  events,
  device_properties,
  distributed_info,
  // of an event
  phase,
  category,
  name,
  process,
  thread,
  start,
  duration,
  arguments,
  // of its arguments
  device,
  stream,
  correlation,
  operation,
  registers,
  shared,
  bytes,
  graph_node,
  grid,
  block,
  dims,
  strides,
  types,
  values,
  kind,
  // of a device
  id,
  major,
  minor,
  multiprocessors,
  memory,
  // of distributedInfo
  rank
};

// What a name in each of these objects stands for.
[[nodiscard]] TraceKey key_of_file(const std::string& name);
[[nodiscard]] TraceKey key_of_event(const std::string& name);
[[nodiscard]] TraceKey key_of_arguments(const std::string& name);
[[nodiscard]] TraceKey key_of_device(const std::string& name);
[[nodiscard]] TraceKey key_of_distributed_info(const std::string& name);

[[nodiscard]] EventKind kind_of(const TraceEvent& event);

}  // namespace autokernel::programs
