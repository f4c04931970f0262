#include "api/launch_chain.h"

namespace emulator::api {
namespace {

// How long blocks that have let the next launch begin rest where the program neither launches it
// nor waits for anything: it may have gone on to something else, even to wait for what they write.
// A machine that is busy may keep the program from its next call for some time.
constexpr std::chrono::milliseconds kPatience(500);

}  // namespace

const runtime::Launch* LaunchChain::next() {
  std::shared_ptr<PendingLaunch> next = last_ == nullptr ? std::move(next_) : last_->next();
  if (next == nullptr) return nullptr;
  last_ = std::move(next);
  asked_.reset();
  under_way_.push_back(last_);
  return &last_->begin();
}

bool LaunchChain::expects_next() {
  // In this order: it may come at any time.
  if (!last_->is_open()) return last_->next() != nullptr;
  if (context_.executor().is_awaited()) return false;
  if (context_.launches_to_come != 0) return true;
  const Clock::time_point now = Clock::now();
  if (!asked_) asked_ = now;
  return now - *asked_ < kPatience;
}

void LaunchChain::ended(const std::optional<runtime::Fault>& fault) {
  under_way_.front()->end(fault);
  under_way_.pop_front();
}

}  // namespace emulator::api
