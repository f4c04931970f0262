// What the program has the device do, written down while it runs: launches, copies and fills, in
// the form that the profilers of GPUs are brought into by autokernel (docs/profile-format.md
// there). Only where EMULATED_CUDA_PROFILE names a folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/device_properties.h"
#include "api/module.h"
#include "api/record_file.h"
#include "runtime/launch.h"

namespace emulator::api {

// Nanoseconds since 1970, as everything in a record.
[[nodiscard]] std::int64_t record_time();

// The call that a launch goes back to.
struct LaunchCall {
  std::uint64_t correlation = 0;  // 0: nothing is recorded
  bool in_graph = false;
  std::uint64_t stream = 0;
};

class ActivityRecord {
 public:
  // Null where nothing is recorded.
  [[nodiscard]] static ActivityRecord* get();
  // Begins the record if the environment asks for one and the folder can be written to. Once, by
  // cuInit.
  static void begin(const DeviceProperties& device);

  ActivityRecord(const char* folder, const DeviceProperties& device);

  // The program launches a kernel from this thread, or a graph does that it launches.
  [[nodiscard]] LaunchCall kernel_call(std::uint64_t stream);
  void kernel(const Kernel& kernel, const runtime::Launch& launch, const LaunchCall& call,
              std::int64_t start, std::int64_t end);
  void transfer(const char* kind, std::uint64_t bytes, std::int64_t start, std::int64_t end);

 private:
  friend class GraphCall;
  [[nodiscard]] std::uint64_t call(const char* what);
  void finish();

  std::mutex mutex_;
  RecordFile file_;
  std::uint64_t correlations_ = 0;
  std::unordered_map<std::string, std::uint64_t> names_;
};

// While it lives, launches of this thread are those of a graph.
class GraphCall {
 public:
  GraphCall();
  GraphCall(const GraphCall&) = delete;
  GraphCall& operator=(const GraphCall&) = delete;
  ~GraphCall();
};

}  // namespace emulator::api
