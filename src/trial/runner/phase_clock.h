// Which phase a trial is in, and how long it has taken.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Tells the supervisor of each phase and notes how long it took.
class PhaseClock {
 public:
  // Must be called before any other, and live longer.
  void tell(const std::function<void(Phase)>& entered) { entered_ = &entered; }

  void enter(Phase phase) {
    stop();
    current_ = phase;
    begin_ = std::chrono::steady_clock::now();
    (*entered_)(phase);
  }
  void stop() {
    if (current_)
      seconds_[spelling(*current_)] +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    current_.reset();
  }
  void leave_candidate() const { (*entered_)(Phase::harness); }
  // The launcher is in that phase: a new one, or back in the one that it left for the harness.
  void follow(Phase phase) {
    if (phase == Phase::harness || phase == current_) {
      (*entered_)(phase);
    } else {
      enter(phase);
    }
  }
  // Work for which none of the candidate's code is loaded. Its time counts to the phase it is for.
  template <typename Work>
  auto without_candidate(Work work) {
    leave_candidate();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      if (current_) (*entered_)(*current_);
    } else {
      auto done = work();
      if (current_) (*entered_)(*current_);
      return done;
    }
  }
  [[nodiscard]] const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  const std::function<void(Phase)>* entered_ = nullptr;
  std::optional<Phase> current_;
  std::chrono::steady_clock::time_point begin_;
  std::map<std::string, double> seconds_;
};

}  // namespace autokernel::trial
