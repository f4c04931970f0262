// A gain that was found in pairs is confirmed in separate processes, where neither kernel can
// disturb the other: launchers that get ready side by side, and then time one of the two each, one
// after the other. The rule is in trial/decide/confirmation_rule.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/driver/device_info.h"
#include "autokernel/trial/result.h"
#include "trial/runner/launcher_session.h"
#include "trial/runner/timeline.h"
#include "trial/time/device_monitor.h"

namespace autokernel::trial {

// What it takes. References must live longer.
struct ConfirmationTask {
  const RunnerCommand& launcher;
  Preparation preparation;
  LaunchTask launches;  // that of the trial which found the gain; its source is the candidate's
  const Incumbent& incumbent;
  const driver::DeviceInfo& device;
  const SizedCase& sized;
  Keys& keys;
  // As a process begins, or goes on after launches of it were judged: a deadline begins anew with
  // it.
  std::function<void()> begins;
  Timeline& timeline;
  // That of these launchers, only one of which is at work.
  std::function<std::unique_ptr<DeviceMonitor>(std::vector<pid_t> launchers)> monitor;
  std::function<std::optional<Rejection>(std::span<const LaunchRecord>)> judge;
  std::function<void(const Whereabouts&)> stands_at;
  const driver::Device* judging_device = nullptr;  // SessionListener
};

class Confirmation : private SessionListener {
 public:
  // Starts the processes, which get ready meanwhile: all of them, or where that would take too much
  // memory the first.
  explicit Confirmation(ConfirmationTask task);

  // Measures, and writes what came of it into `comparison`, which becomes inconclusive where the
  // processes do not confirm the gain. A rejection where a launch of the candidate was wrong.
  [[nodiscard]] std::optional<Rejection> confirm(PairedComparison& comparison);

 private:
  enum class Who : std::uint8_t { candidate, incumbent };
  // By turns, and the same from either end, so that a machine that becomes slower all the time
  // favours nobody. The candidate has one more, as its slowest counts: with the process that found
  // the gain these are four in which a kernel that depends on luck must have it.
  static constexpr std::array kOrder = {Who::candidate, Who::incumbent, Who::candidate,
                                        Who::incumbent, Who::candidate};

  void start(Who who);
  // Makes it the one that the listener hears of.
  void attend(std::size_t process);
  // Waits until all that were started are ready; why one is not.
  [[nodiscard]] std::optional<std::string> get_ready();
  // The times of that process; a reason where there are none that count.
  [[nodiscard]] std::variant<std::vector<double>, std::string> measure(std::size_t process);
  [[nodiscard]] std::string failure(const Rejection& rejection) const;
  // What it has done since it began is this.
  void note_time_of(const char* what);

  void entered(Phase /*phase*/) override {}  // one deadline is enough
  void code_is(const Code& /*code*/) override {}
  void stands_at(const Whereabouts& whereabouts) override { task_.stands_at(whereabouts); }
  void opened() override {}
  void compiled(Compiled& compiled) override;
  [[nodiscard]] const driver::Device* judging_device() override { return task_.judging_device; }
  void begins(const std::string& /*launch*/) override {}
  [[nodiscard]] bool is_judged(const Delivered& delivered) override;
  [[nodiscard]] std::optional<Rejection> batch_done(LaunchAccount& account) override;
  [[nodiscard]] std::optional<Rejection> checked(LaunchAccount& account) override;
  void launch_over() override { monitor_->look(); }
  [[nodiscard]] bool counts(const SampleTaken& sample) override;
  void timed() override;

  ConfirmationTask task_;
  bool side_by_side_;
  // In the order in which they are measured. On a GPU they stay until the last has been: a device
  // that is given back disturbs who uses it. On the emulated one they are memory alone.
  std::vector<std::unique_ptr<LauncherSession>> sessions_;
  std::vector<Timeline::Clock::time_point> started_;
  Who who_ = Who::candidate;                // whose launcher is attended to
  std::unique_ptr<DeviceMonitor> monitor_;  // of that launcher
  std::string unclean_;                     // why its times say nothing
  std::optional<Rejection> wrong_;          // a launch of the candidate was
  std::optional<double> device_worked_at_;  // GoOn
  Timeline::Clock::time_point began_;       // it was started, or has begun to time
};

}  // namespace autokernel::trial
