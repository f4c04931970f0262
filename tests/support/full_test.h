// Whether tests take all they can: AUTOKERNEL_TEST_FULL=1, which ./dev test --full sets.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace autokernel::test {

[[nodiscard]] inline bool everything_is_wanted() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing sets variables
  const char* full = std::getenv("AUTOKERNEL_TEST_FULL");
  return full != nullptr && std::string_view(full) == "1";
}

// Whether the test of that name is taken: in the full test each is, else those that stand for the
// others.
[[nodiscard]] inline bool is_wanted(std::string_view name,
                                    std::initializer_list<std::string_view> usual) {
  return everything_is_wanted() || std::ranges::find(usual, name) != usual.end();
}

}  // namespace autokernel::test
