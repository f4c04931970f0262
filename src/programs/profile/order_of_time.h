// The order of what a profile has, which files have in others.
#pragma once

#include <algorithm>
#include <tuple>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

// By start; what began at the same time by device and stream, and of ranges the outer one first.
inline void sort_by_time(Profile& profile) {
  const auto by_start = [](const auto& work) {
    return std::tuple(work.start, work.place.device, work.place.stream, work.end);
  };
  std::ranges::sort(profile.launches, {}, by_start);
  std::ranges::sort(profile.transfers, {}, by_start);
  std::ranges::sort(profile.ranges, {}, [](const Range& range) {
    return std::tuple(range.start, range.process, range.thread, -range.end);
  });
}

}  // namespace autokernel::programs
