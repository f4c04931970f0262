// What a launch is for, and the name by which launcher, runner and a replayed trial know it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace autokernel::trial {

enum class LaunchKind : std::uint8_t {
  check,              // to be judged, before anything is timed
  warm_up,            // before each series of timed ones
  timed,              // the sample that counts, to be judged as well
  warm,               // on a GPU: timed without emptying the caches
  incumbent_warm_up,  // the same of the kernel that is compared with
  incumbent,
  library,  // no launch of a kernel, but inputs of its own
};
// "timed launch".
[[nodiscard]] const char* name_of(LaunchKind kind);
// "timed launch 3".
[[nodiscard]] std::string launch_name(LaunchKind kind, int number);

struct NamedLaunch {
  LaunchKind kind = LaunchKind::check;
  int number = 0;  // from 1 on; 0: it has none
};
// None for a text that is no name of a launch to the letter.
[[nodiscard]] std::optional<NamedLaunch> named_launch(std::string_view name);

}  // namespace autokernel::trial
