// A runner that has been started, by this process or by the resident one.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/process.h"

namespace autokernel::trial {

class RunningRunner {
 public:
  RunningRunner() = default;
  RunningRunner(const RunningRunner&) = delete;
  RunningRunner& operator=(const RunningRunner&) = delete;
  RunningRunner(RunningRunner&&) = delete;
  RunningRunner& operator=(RunningRunner&&) = delete;
  virtual ~RunningRunner() = default;

  [[nodiscard]] virtual pid_t id() const = 0;
  // Our ends, as Child has them.
  [[nodiscard]] virtual Descriptor& input() = 0;
  [[nodiscard]] virtual Descriptor& output() = 0;
  [[nodiscard]] virtual Descriptor& messages() = 0;
  // As Child has it.
  [[nodiscard]] virtual std::optional<Ending> wait_until(
      std::chrono::steady_clock::time_point deadline) = 0;
  // It and all that it has started are gone afterwards.
  virtual void kill() = 0;
  // It is another process's child, which sees to its end. What goes wrong with it may be due to
  // that.
  [[nodiscard]] virtual bool is_lent() const = 0;
};

// A child of this process.
[[nodiscard]] std::unique_ptr<RunningRunner> own_runner(Child child);

}  // namespace autokernel::trial
