// Whether tests take all they can: AUTOKERNEL_TEST_FULL=1, minutes instead of seconds.
#pragma once

#include <cstdlib>
#include <string_view>

namespace emulator::testing {

[[nodiscard]] inline bool everything_is_wanted() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing sets variables
  const char* full = std::getenv("AUTOKERNEL_TEST_FULL");
  return full != nullptr && std::string_view(full) == "1";
}

}  // namespace emulator::testing
