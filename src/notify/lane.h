// The messages for one target, one after the other, in a thread of their own: a target that hangs
// holds up no other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "autokernel/notify/delivery.h"
#include "autokernel/notify/event.h"

namespace autokernel::notify {

// Events that wait for one target. A run has one in minutes; where no service answers, the newest
// ones are of use.
inline constexpr std::size_t kMostInLane = 64;

class Lane {
 public:
  using Deliver = std::function<Delivery(const Event&)>;
  using Tell = std::function<void(Delivery)>;

  // `deliver` is called in the lane's thread; it must not throw.
  explicit Lane(Deliver deliver);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  Lane(Lane&&) = delete;
  Lane& operator=(Lane&&) = delete;
  // Waits until all that was added is delivered or given up.
  ~Lane();

  // `tell` is called once with what became of it, in any thread. Where too many wait, the oldest is
  // dropped.
  void add(std::shared_ptr<const Event> event, Tell tell);

 private:
  struct Waiting {
    std::shared_ptr<const Event> event;
    Tell tell;
  };

  void work();

  Deliver deliver_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  bool is_closed_ = false;
  std::thread thread_;
};

}  // namespace autokernel::notify
