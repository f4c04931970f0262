// One trial from beginning to end, in this process: what the runner does once it holds a request.
// How the request arrives, how the phases are watched and how the result leaves is the supervisor's
// business.
#pragma once

#include <functional>
#include <memory>

#include "autokernel/trial/result.h"
#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {

// Who wants to know more than the phases; an empty function is not called.
struct RunnerObserver {
  // The PTX that runs from now on, bounded in size.
  std::function<void(const std::string& ptx)> code;
  // Where the warps stand, whenever that is asked (trial/supervise/whereabouts_signal.h), from a
  // thread of its own.
  std::function<void(const std::string& text)> whereabouts;
};

// The signal by which a runner is asked where its warps stand ends no thread of this process from
// here on. To be called before any is started.
void block_whereabouts_signal();

// This very program again, with its hidden subcommand.
inline const RunnerCommand kLauncherCommand = {.program = "/proc/self/exe",
                                               .arguments = {"launcher"}};

class TrialRun;

// One trial that is got ready before its candidate is there: the device is opened, the library
// loaded, the references are compiled, and whatever kernel is expected. What goes wrong with that
// shows in run(), as if there had been no expectation.
class PreparedTrial {
 public:
  explicit PreparedTrial(RunnerCommand launcher = kLauncherCommand);
  PreparedTrial(const PreparedTrial&) = delete;
  PreparedTrial& operator=(const PreparedTrial&) = delete;
  PreparedTrial(PreparedTrial&&) = delete;
  PreparedTrial& operator=(PreparedTrial&&) = delete;
  ~PreparedTrial();

  // Any number of times.
  void expect(const Request& expected);
  // As run_trial(); once.
  [[nodiscard]] Result run(const Request& request, const std::function<void(Phase)>& entered,
                           const std::function<void(const Result&)>& learned,
                           const std::function<void(const Result&)>& answered,
                           const RunnerObserver& observer);

 private:
  RunnerCommand launcher_;
  std::unique_ptr<TrialRun> trial_;
};

// Compiles, checks, times and judges the kernel of `request`. `entered` is called as each phase
// begins, in order, so that a deadline can be kept for it; `learned` once, with what is known of
// device and problem before the candidate is touched; `answered` with what is returned, before the
// device is given back, which may hang; an empty one is not called. A bad kernel is a
// Result with its verdict; a broken machine or case is an Error. Result::total_seconds is left to
// the caller. The candidate's code runs in a process that is started by `launcher` and that calls
// run_launcher().
[[nodiscard]] Result run_trial(const Request& request, const std::function<void(Phase)>& entered,
                               const std::function<void(const Result&)>& learned = {},
                               const std::function<void(const Result&)>& answered = {},
                               const RunnerObserver& observer = {},
                               const RunnerCommand& launcher = kLauncherCommand);

}  // namespace autokernel::trial
