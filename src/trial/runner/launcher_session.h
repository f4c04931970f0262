// The runner's dealings with one launcher, from its start to its answer: every report is held
// against what a launcher can have to say at that point, and answered.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "trial/runner/device_outbox.h"
#include "trial/runner/launch_account.h"
#include "trial/runner/launcher_phases.h"
#include "trial/runner/launcher_process.h"
#include "trial/runner/outbox.h"
#include "trial/supervise/whereabouts_signal.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {

// What the runner does about it.
class SessionListener {
 public:
  SessionListener() = default;
  SessionListener(const SessionListener&) = delete;
  SessionListener& operator=(const SessionListener&) = delete;
  SessionListener(SessionListener&&) = delete;
  SessionListener& operator=(SessionListener&&) = delete;
  virtual ~SessionListener() = default;

  virtual void entered(Phase phase) = 0;
  virtual void code_is(const Code& code) = 0;
  virtual void stands_at(const Whereabouts& whereabouts) = 0;
  virtual void opened() = 0;
  // The launcher waits until it returns. So it does for those below.
  virtual void compiled(Compiled& compiled) = 0;
  // Where outputs are judged that stay on the device; null: they have to come to the host.
  [[nodiscard]] virtual const driver::Device* judging_device() = 0;
  // It is about to make a launch of that name.
  virtual void begins(const std::string& launch) = 0;
  // Whether the outputs of this launch are kept, to be judged.
  [[nodiscard]] virtual bool is_judged(const Delivered& delivered) = 0;
  // No candidate is loaded: what has been delivered so far can be judged.
  [[nodiscard]] virtual std::optional<Rejection> batch_done(LaunchAccount& account) = 0;
  // Everything to be checked has been delivered.
  [[nodiscard]] virtual std::optional<Rejection> checked(LaunchAccount& account) = 0;
  // A launch that is timed is over. The launcher goes on.
  virtual void launch_over() = 0;
  [[nodiscard]] virtual bool counts(const SampleTaken& sample) = 0;
  // It has timed the kernel, and is still there.
  virtual void timed() = 0;
};

class LauncherSession {
 public:
  // Starts a launcher, and has it prepare. `outbox_bytes`: the most that one launch writes.
  LauncherSession(const RunnerCommand& command, std::size_t outbox_bytes,
                  const Preparation& preparation);

  // What it is expected to do. The first time it opens its device as well, and this waits for it;
  // false where the launcher is of no use.
  [[nodiscard]] bool expect(const LaunchTask& task);
  // Whether it is still there, and has nothing to say that nobody has asked for.
  [[nodiscard]] bool is_waiting();

  // What it is to do, on what kind of device. The sizes and the keys must live longer.
  void assign(const LaunchTask& task, const driver::DeviceInfo& device, const CheckedSizes& sizes,
              Keys& keys);
  // Answers its reports until it has compiled and opened its device, and has it wait then. How it
  // ended where it does not come so far.
  [[nodiscard]] std::optional<Timing> get_ready(SessionListener& listener);
  // Answers its reports, until it has timed the kernel, or has rejected it, or is lost. Throws the
  // launcher's Error. `device_worked_at`: for GoOn, where it was held.
  [[nodiscard]] Timing follow(SessionListener& listener,
                              std::optional<double> device_worked_at = std::nullopt);
  // Ends it, without waiting for its end: the driver takes a while to take a device back.
  void dismiss() const;

  [[nodiscard]] LaunchAccount& account() { return *account_; }
  [[nodiscard]] pid_t id() const { return process_.id(); }
  // The phase in which it ended without an answer.
  [[nodiscard]] std::optional<Phase> lost_in() const { return lost_in_; }

 private:
  // None: it goes on.
  using Ended = std::optional<Timing>;
  [[nodiscard]] Ended take(const Phase& phase);
  [[nodiscard]] Ended take(const Code& code);
  [[nodiscard]] Ended take(const Whereabouts& whereabouts);
  [[nodiscard]] Ended take(const Opened& report);
  [[nodiscard]] Ended take(Compiled& compiled);
  [[nodiscard]] Ended take(const KeyRequest& request);
  [[nodiscard]] Ended take(const Delivered& delivered);
  [[nodiscard]] Ended take(const LaunchOver& report);
  [[nodiscard]] Ended take(const SampleTaken& sample);
  [[nodiscard]] Ended take(const BatchDone& report);
  [[nodiscard]] Ended take(const ChecksDone& report);
  [[nodiscard]] Ended take(Timed& timed);
  [[nodiscard]] Ended take(Rejection& rejection) const;
  [[nodiscard]] Ended take(const Failure& failure) const;
  [[nodiscard]] Ended take_next();
  [[nodiscard]] Rejection lost();

  [[nodiscard]] GoOn start_launching(std::optional<double> device_worked_at = {}) const {
    return {device_worked_at, inbox_.has_value()};
  }
  void take_outputs(LaunchRecord& record);

  Outbox outbox_;
  std::size_t outbox_bytes_;
  std::optional<DeviceInbox> inbox_;  // where outputs stay on the device
  LauncherProcess process_;
  std::atomic<int> requests_ = 0;    // counted by who hands them on
  WhereaboutsResponder forwarding_;  // the launcher, which knows where its warps stand
  std::unique_ptr<LaunchAccount> account_;
  SessionListener* listener_ = nullptr;
  LauncherPhases launcher_phases_{LauncherPhases::Compared::with_none};
  Phase phase_ = Phase::compile;
  std::chrono::steady_clock::time_point timing_began_;
  int codes_ = 0;
  int most_codes_ = 0;
  int answers_ = 0;
  bool is_open_ = false;
  bool is_compiled_ = false;
  bool is_held_ = false;    // once it has compiled, until follow()
  bool has_begun_ = false;  // to launch the candidate, for all that is known
  std::optional<Phase> lost_in_;
  bool has_opened_ = false;  // its device, for what was expected
};

}  // namespace autokernel::trial
