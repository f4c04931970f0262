// The launches of a stream that run beside each other, as the engine asks for them.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include "api/pending_launch.h"
#include "runtime/chain.h"

namespace emulator::api {

class LaunchChain : public runtime::ChainSource {
 public:
  LaunchChain(Context& context, std::shared_ptr<PendingLaunch> first)
      : context_(context), next_(std::move(first)) {}

  [[nodiscard]] const runtime::Launch* next() override;
  [[nodiscard]] bool expects_next() override;
  void ended(const std::optional<runtime::Fault>& fault) override;

 private:
  using Clock = std::chrono::steady_clock;

  Context& context_;
  std::shared_ptr<PendingLaunch> next_;     // that was given before the chain began
  std::shared_ptr<PendingLaunch> last_;     // given to the engine
  std::optional<Clock::time_point> asked_;  // when the engine first asked in vain for the next
  std::deque<std::shared_ptr<PendingLaunch>> under_way_;
};

}  // namespace emulator::api
