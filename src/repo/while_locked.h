// Trying again what another git holds locked for a moment.
#pragma once

#include <functional>

namespace autokernel::repo {

// Calls `attempt` until it returns another status than GIT_ELOCKED, for a second at most, and
// returns the last one.
[[nodiscard]] int while_locked(const std::function<int()>& attempt);

}  // namespace autokernel::repo
