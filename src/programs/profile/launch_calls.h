// The calls of CUDA that a program made, and which of them some work of a device is from: both have
// one correlation number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

enum class CallKind : std::uint8_t { other, kernel_launch, graph_launch };

// Of a function of CUDA's runtime or driver, or of HIP, as profilers name it:
// "cudaLaunchKernelExC_v11060".
[[nodiscard]] CallKind kind_of_call(std::string_view function);

struct Call {
  std::int64_t correlation = 0;  // 0: none
  std::uint32_t process = 0;     // index in Profile::processes
  CallKind kind = CallKind::other;
  std::int64_t thread = kUnknown;
  Nanoseconds start = 0;
  std::int64_t operation = 0;  // number of the operation that made it, as the profiler gave it
};

class LaunchCalls {
 public:
  explicit LaunchCalls(std::vector<Call> calls);

  // The call that work with this correlation, which began at `start`, is from; null where it was
  // not recorded. Where the process of the work is known, no other's is taken: their correlations
  // are counted for each by itself. Else the last one before `start` is.
  [[nodiscard]] const Call* of(std::int64_t correlation, std::optional<std::uint32_t> process,
                               Nanoseconds start) const;

  // Launches of kernels and of graphs. A call of the driver within one of the runtime has the
  // correlation of that, and is not another launch.
  [[nodiscard]] std::int64_t launches() const { return launches_; }
  [[nodiscard]] std::int64_t graph_launches() const { return graph_launches_; }

 private:
  [[nodiscard]] static const Call& last_before(Nanoseconds start, std::span<const Call> calls);
  void count_launches();

  std::vector<Call> calls_;  // by correlation, process and start
  std::int64_t launches_ = 0;
  std::int64_t graph_launches_ = 0;
};

// What a profile says of its launches as a whole.
void count_launches(const LaunchCalls& calls, Profile& profile);

}  // namespace autokernel::programs
