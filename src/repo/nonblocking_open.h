// libgit2 opens whatever lies in the place of a file: of a named pipe the opening waits until
// somebody writes to it, which may be never.
#pragma once

#include <ctime>

#include "autokernel/base/owned.h"

namespace autokernel::repo {

// While it lives, a system call of this thread that waits for longer than anything of git's takes
// is interrupted, and fails. Reading and writing of regular files is never interrupted.
class NonblockingOpen {
 public:
  NonblockingOpen();

 private:
  struct Timer {
    timer_t id{};
    bool is_set = false;
    friend bool operator==(const Timer&, const Timer&) = default;
  };
  Owned<Timer> timer_;
};

}  // namespace autokernel::repo
