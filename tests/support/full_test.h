// Whether tests take all they can: AUTOKERNEL_TEST_FULL=1, which ./dev test --full sets.
#pragma once

#include <cstdlib>
#include <string_view>

namespace autokernel::test {

[[nodiscard]] inline bool everything_is_wanted() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing sets variables
  const char* full = std::getenv("AUTOKERNEL_TEST_FULL");
  return full != nullptr && std::string_view(full) == "1";
}

}  // namespace autokernel::test
