// The runner's end of the channels to its launcher, the confined process in which the candidate's
// code runs: orders in, reports out.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/process.h"
#include "autokernel/trial/supervisor.h"
#include "trial/runner/launch_message.h"

namespace autokernel::trial {

class LauncherProcess {
 public:
  // Starts it, with `outbox` as its descriptor kSharedDescriptor.
  LauncherProcess(const RunnerCommand& command, const Descriptor& outbox);

  void send(const Order& order);
  // The next report; waits for it as long as it takes, since the supervisor keeps the deadlines.
  // None where the launcher has ended. What it prints meanwhile goes to our own output.
  // Throws Error(internal) for a message that makes no sense.
  [[nodiscard]] std::optional<Report> next();

  // Once it has hung up: how it ended. None where it did not, and had to be killed.
  [[nodiscard]] std::optional<Ending> ending();
  // Whether it is there, and all it has said has been taken.
  [[nodiscard]] bool is_silent();
  // The beginning and the end of what it printed.
  [[nodiscard]] std::string printed() const { return printed_.text(); }
  [[nodiscard]] pid_t id() const { return child_.id(); }

 private:
  void forward_prints();
  void read_reports();

  Child child_;
  LineBuffer unparsed_;
  BoundedText printed_;
};

}  // namespace autokernel::trial
