// The clock of all records.
#pragma once

#include <cstdint>
#include <ctime>

namespace recording {

// Nanoseconds since 1970.
[[nodiscard]] inline std::uint64_t now() {
  constexpr std::uint64_t kPerSecond = 1'000'000'000;
  std::timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kPerSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace recording
