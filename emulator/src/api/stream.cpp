#include "api/stream.h"

#include "api/pending_launch.h"

namespace emulator::api {

std::shared_ptr<PendingLaunch> Stream::joinable() const {
  const std::lock_guard lock(joinable_mutex_);
  return joinable_.lock();
}

void Stream::set_joinable(const std::weak_ptr<PendingLaunch>& launch) {
  const std::lock_guard lock(joinable_mutex_);
  if (const std::shared_ptr<PendingLaunch> before = joinable_.lock()) before->close();
  joinable_ = launch;
  has_joinable_ = !launch.expired();
}

}  // namespace emulator::api
