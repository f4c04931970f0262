// What a trial does when, for those who wonder where its time goes.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Of one process, several threads of which may add to it.
class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  // On the clock that all processes of a machine have.
  [[nodiscard]] static double seconds(Clock::time_point time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  }

  // From `begin` until now.
  void add(std::string what, Clock::time_point begin) {
    const Span span{.what = std::move(what),
                    .begin_seconds = seconds(begin),
                    .end_seconds = seconds(Clock::now())};
    const std::lock_guard lock(mutex_);
    spans_.push_back(span);
  }
  // The same around some work.
  template <typename Work>
  auto around(const char* what, Work work) {
    const Noted noted{this, what, Clock::now()};
    return work();
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    spans_.clear();
  }
  [[nodiscard]] std::vector<Span> spans() const {
    const std::lock_guard lock(mutex_);
    return spans_;
  }

 private:
  struct Noted {
    Timeline* timeline;
    const char* what;
    Clock::time_point begin;
    ~Noted() { timeline->add(what, begin); }
  };
  mutable std::mutex mutex_;
  std::vector<Span> spans_;
};

}  // namespace autokernel::trial
