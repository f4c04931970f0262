// Which phase a trial is in, and how long it has taken.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

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
    tell(phase);
  }
  void stop() {
    if (current_)
      seconds_[spelling(*current_)] +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    current_.reset();
  }
  void leave_candidate() { tell(Phase::harness); }
  // The harness is getting on with work that takes long: its deadline begins again.
  void get_on() {
    constexpr std::chrono::seconds kNow{10};  // well within that deadline, and not for each launch
    if (told_ == Phase::harness && std::chrono::steady_clock::now() - told_at_ > kNow) tell(told_);
  }
  // The launcher is in that phase: a new one, or back in the one that it left for the harness.
  void follow(Phase phase) {
    if (phase == Phase::harness || phase == current_) {
      tell(phase);
    } else {
      enter(phase);
    }
  }
  [[nodiscard]] const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  void tell(Phase phase) {
    told_ = phase;
    told_at_ = std::chrono::steady_clock::now();
    (*entered_)(phase);
  }

  const std::function<void(Phase)>* entered_ = nullptr;
  Phase told_ = Phase::start;
  std::chrono::steady_clock::time_point told_at_;
  std::optional<Phase> current_;
  std::chrono::steady_clock::time_point begin_;
  std::map<std::string, double> seconds_;
};

}  // namespace autokernel::trial
