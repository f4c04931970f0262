// The launcher's end of the channels to its runner: reports out, orders in.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/trial/launches.h"
#include "trial/inputs/keys.h"
#include "trial/runner/launch_message.h"
#include "trial/runner/outbox.h"
#include "trial/supervise/line_buffer.h"
#include "trial/time/watch.h"

namespace autokernel::trial {

class LauncherPort {
 public:
  explicit LauncherPort(LauncherChannels channels)
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
class PortKeys : public KeySource {
 public:
  explicit PortKeys(LauncherPort& port) : port_(&port) {}
  [[nodiscard]] Key draw(const std::string& launch) override;

 private:
  LauncherPort* port_;
};

// Outputs go to the runner at once, which keeps them.
class PortRecords : public RecordSink {
 public:
  explicit PortRecords(LauncherPort& port) : port_(&port) {}
  void take(LaunchRecord record, const Operands& operands) override;

 private:
  LauncherPort* port_;
};

// The runner looks at the device.
class PortWatch : public Watch {
 public:
  explicit PortWatch(LauncherPort& port) : port_(&port) {}
  [[nodiscard]] Sample after_sample(Again again) override;
  [[nodiscard]] Conditions conditions() const override { return {}; }

 private:
  LauncherPort* port_;
};

}  // namespace autokernel::trial
