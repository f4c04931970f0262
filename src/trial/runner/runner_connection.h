// The launcher's end of the channels to its runner: reports out, orders in.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/trial/launcher.h"
#include "trial/inputs/keys.h"
#include "trial/runner/device_outbox.h"
#include "trial/runner/launch_message.h"
#include "trial/runner/outbox.h"
#include "trial/time/device_monitor.h"

namespace autokernel::trial {

class RunnerConnection {
 public:
  explicit RunnerConnection(LauncherChannels channels)
      : orders_(std::move(channels.orders)),
        reports_(std::move(channels.reports)),
        outbox_(std::move(channels.outbox)) {}

  void tell(const Report& report);
  // Waits for an order of that kind. Throws Error(internal) where another one comes, or none.
  template <typename Expected>
  [[nodiscard]] Expected await() {
    Order order = next();
    if (auto* expected = std::get_if<Expected>(&order)) return std::move(*expected);
    throw Error(Stop::internal, "the launcher got an order out of turn");
  }
  // The same of two kinds.
  template <typename One, typename Other>
  [[nodiscard]] Order await() {
    Order order = next();
    if (std::holds_alternative<One>(order) || std::holds_alternative<Other>(order)) return order;
    throw Error(Stop::internal, "the launcher got an order out of turn");
  }
  [[nodiscard]] const Outbox& outbox() const { return outbox_; }

 private:
  [[nodiscard]] Order next();

  Descriptor orders_;
  Descriptor reports_;
  Outbox outbox_;
  LineBuffer unread_;
  std::mutex telling_;  // several threads tell: what one says is not cut by another
};

// Keys that the runner draws.
class RunnerKeys : public KeySource {
 public:
  explicit RunnerKeys(RunnerConnection& runner) : runner_(&runner) {}
  [[nodiscard]] Key draw(const std::string& launch) override;

 private:
  RunnerConnection* runner_;
};

// Outputs go to the runner at once, which keeps them.
class RunnerRecords : public RecordSink {
 public:
  explicit RunnerRecords(RunnerConnection& runner) : runner_(&runner) {}
  void take(LaunchRecord record, const Operands& operands, const Staging& staging) override;
  [[nodiscard]] bool is_full() const override;
  void have_judged() override;
  // Everything to be checked has been delivered, and no candidate is loaded.
  void finish_checks();
  // From now on outputs go there. It must live longer.
  void use(const DeviceOutbox& outbox) { device_outbox_ = &outbox; }

 private:
  RunnerConnection* runner_;
  const DeviceOutbox* device_outbox_ = nullptr;
  std::uint64_t waiting_bytes_ = 0;
  std::uint64_t last_bytes_ = 0;
};

// The runner looks at the device.
class RunnerMonitor : public DeviceMonitor {
 public:
  explicit RunnerMonitor(RunnerConnection& runner) : runner_(&runner) {}
  void look() override { runner_->tell(LaunchOver{}); }
  [[nodiscard]] Sample after_sample(Again again) override;
  [[nodiscard]] Conditions conditions() const override { return {}; }

 private:
  RunnerConnection* runner_;
};

}  // namespace autokernel::trial
