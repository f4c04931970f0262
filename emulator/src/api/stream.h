// Streams and events. All streams of a context share its executor, so that a stream is no more than
// the number of its last operation, and an event the time the executor reached it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "api/cuda_api.h"
#include "api/error_translation.h"
#include "api/executor.h"

namespace emulator::api {

struct CapturePoint;
class PendingLaunch;

// What a program sets and reads back.
class StreamAttributes {
 public:
  // Throw Refusal(CUDA_ERROR_INVALID_VALUE) for what is no attribute of a stream.
  [[nodiscard]] CUstreamAttrValue get(CUstreamAttrID which) const {
    require_known(which);
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(which);
    return found == values_.end() ? CUstreamAttrValue{} : found->second;
  }
  void set(CUstreamAttrID which, const CUstreamAttrValue& value) {
    require_known(which);
    const std::lock_guard lock(mutex_);
    values_[which] = value;
  }
  void copy(const StreamAttributes& from) {
    if (this == &from) return;
    const std::scoped_lock lock(mutex_, from.mutex_);
    values_ = from.values_;
  }

 private:
  static void require_known(CUstreamAttrID which) {
    require(which == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
            which == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
            which == CU_LAUNCH_ATTRIBUTE_PRIORITY ||
            which == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
            which == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
  }

  mutable std::mutex mutex_;
  std::map<CUstreamAttrID, CUstreamAttrValue> values_;
};

class Stream {
 public:
  Stream(unsigned flags, int priority, unsigned long long context_id)
      : flags_(flags), priority_(priority), id_(next_id()), context_id_(context_id) {}

  // It is not done before operation `ticket` is.
  void follow(Ticket ticket) {
    Ticket seen = last_.load();
    while (seen < ticket && !last_.compare_exchange_weak(seen, ticket)) {
    }
  }
  // The last launch that it was given, if the next one may join that (pending_launch.h).
  [[nodiscard]] std::shared_ptr<PendingLaunch> joinable() const;
  void set_joinable(const std::weak_ptr<PendingLaunch>& launch);
  // None may join it any more.
  void close_joinable() const;
  [[nodiscard]] Ticket last() const { return last_.load(); }
  [[nodiscard]] unsigned flags() const { return flags_; }
  [[nodiscard]] int priority() const { return priority_; }
  // Never used twice in the process.
  [[nodiscard]] unsigned long long id() const { return id_; }
  [[nodiscard]] unsigned long long context_id() const { return context_id_; }

  [[nodiscard]] StreamAttributes& attributes() { return attributes_; }

  // What it captures; null while it does not (capture.h).
  std::shared_ptr<CapturePoint> captured;

 private:
  static unsigned long long next_id() {
    static std::atomic<unsigned long long> last = 0;
    return ++last;
  }

  std::atomic<Ticket> last_ = 0;
  mutable std::mutex joinable_mutex_;
  std::weak_ptr<PendingLaunch> joinable_;
  StreamAttributes attributes_;
  unsigned flags_;
  int priority_;
  unsigned long long id_;
  unsigned long long context_id_;
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

  // Where it was last recorded, if a stream was capturing then (capture.h).
  std::shared_ptr<CapturePoint> captured;

 private:
  mutable std::mutex mutex_;
  Ticket asked_ = 0;
  Time time_;
  unsigned flags_;
};

}  // namespace emulator::api
