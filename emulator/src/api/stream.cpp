#include "api/stream.h"

#include "api/pending_launch.h"

namespace emulator::api {

std::shared_ptr<PendingLaunch> Stream::joinable() const {
  const std::lock_guard lock(joinable_mutex_);
  return joinable_.lock();
}

void Stream::set_joinable(const std::weak_ptr<PendingLaunch>& launch) {
  const std::lock_guard lock(joinable_mutex_);
  joinable_ = launch;
}

void Stream::close_joinable() const {
  if (const std::shared_ptr<PendingLaunch> launch = joinable()) launch->close();
}

}  // namespace emulator::api
