// The signal by which a process is asked where the warps of its kernel stand, shortly before it is
// killed for taking too long. A signal also reaches a process whose every thread is busy or waits
// for the device.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "autokernel/trial/runner.h"

namespace autokernel::trial {

inline constexpr int kWhereaboutsSignal = SIGUSR1;

// Calls `answer` for each signal while it lives, in a thread of its own. Where
// block_whereabouts_signal() has not been called, or a question would go unanswered for another
// reason, the process goes on all the same.
class WhereaboutsResponder {
 public:
  explicit WhereaboutsResponder(std::function<void()> answer);
  WhereaboutsResponder(const WhereaboutsResponder&) = delete;
  WhereaboutsResponder& operator=(const WhereaboutsResponder&) = delete;
  ~WhereaboutsResponder();

 private:
  void run() const;

  std::function<void()> answer_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace autokernel::trial
