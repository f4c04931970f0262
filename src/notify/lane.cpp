#include "notify/lane.h"

#include <optional>
#include <utility>

namespace autokernel::notify {

Lane::Lane(Deliver deliver) : deliver_(std::move(deliver)), thread_([this] { work(); }) {}

Lane::~Lane() {
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Lane::add(std::shared_ptr<const Event> event, Tell tell) {
  std::optional<Waiting> dropped;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({std::move(event), std::move(tell)});
    if (waiting_.size() > kMostInLane) {
      dropped = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }
  changed_.notify_one();
  if (dropped) dropped->tell({.status = "dropped"});
}

void Lane::work() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next.tell(deliver_(*next.event));
  }
}

}  // namespace autokernel::notify
