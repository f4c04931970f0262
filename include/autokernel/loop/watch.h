// Trying each version of the kernel that somebody saves (Loop::watch).
#pragma once

#include <functional>
#include <string>

#include "autokernel/loop/loop.h"

namespace autokernel::loop {

struct WatchOptions {
  std::string idea;  // of every experiment; empty: when the kernel was saved
  bool simpler = false;
};

// Who wants to know what goes on; an empty function is not called.
struct WatchObserver {
  std::function<void(const Step&)> stepped;
  // There was no experiment: what was saved is nothing new to try, or the run is not ready for it.
  std::function<void(const std::string& why)> refused;
  // It waits for an edit.
  std::function<void(std::chrono::duration<double>)> waits;
};

struct Watched {
  int experiments = 0;
  std::string why;  // it stopped
  int signal = 0;   // that stopped it; 0: none did
};

}  // namespace autokernel::loop
