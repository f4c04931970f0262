#include "repo/while_locked.h"

#include <git2.h>

#include <chrono>
#include <thread>

namespace autokernel::repo {

// An editor's `git status` holds the index for some milliseconds each time it looks; who holds a
// lock longer is at work, or was killed.
constexpr std::chrono::milliseconds kLongestWait{1000};
constexpr std::chrono::milliseconds kPause{10};

int while_locked(const std::function<int()>& attempt) {
  const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
  for (;;) {
    const int status = attempt();
    if (status != GIT_ELOCKED || std::chrono::steady_clock::now() >= deadline) return status;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace autokernel::repo
