// Streams and events. All streams of a context share its executor, so that a stream is no more than
// the number of its last operation, and an event the time the executor reached it.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "emulator/api/executor.h"

namespace emulator::api {

class Stream {
 public:
  Stream(unsigned flags, int priority) : flags_(flags), priority_(priority) {}

  // The stream is not done before operation `ticket` is.
  void add(Ticket ticket) {
    Ticket seen = last_.load();
    while (seen < ticket && !last_.compare_exchange_weak(seen, ticket)) {
    }
  }
  [[nodiscard]] Ticket last() const { return last_.load(); }
  [[nodiscard]] unsigned flags() const { return flags_; }
  [[nodiscard]] int priority() const { return priority_; }

 private:
  std::atomic<Ticket> last_ = 0;
  unsigned flags_;
  int priority_;
};

class Event {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Event(unsigned flags) : flags_(flags) {}

  // Records that are asked for while an earlier one waits replace it.
  void asked(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    if (ticket > asked_) asked_ = ticket;
  }
  void reached(Ticket ticket, Time time) {
    const std::lock_guard lock(mutex_);
    if (ticket >= asked_) time_ = time;
  }
  // The record waited for; 0 if none was ever asked for.
  [[nodiscard]] Ticket ticket() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  [[nodiscard]] Time time() const {
    const std::lock_guard lock(mutex_);
    return time_;
  }
  [[nodiscard]] unsigned flags() const { return flags_; }

 private:
  mutable std::mutex mutex_;
  Ticket asked_ = 0;
  Time time_;
  unsigned flags_;
};

}  // namespace emulator::api
