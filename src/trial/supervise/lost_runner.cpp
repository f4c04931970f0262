#include "trial/supervise/lost_runner.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <string_view>

#include "autokernel/base/error.h"
#include "autokernel/compile/compiler.h"

namespace autokernel::trial {
namespace {

// What the phase does to the candidate, to complete "while ...".
[[nodiscard]] const char* activity(Phase phase) {
  switch (phase) {
    case Phase::start:
      return "starting";
    case Phase::queue:
      return "waiting for the device";
    case Phase::compile:
      // The device is opened meanwhile; whoever ended the process does not say which of the two it
      // was.
      return "compiling the kernel and opening the device";
    case Phase::check:
      return "checking the kernel";
    case Phase::time:
      return "timing the kernel";
    case Phase::harness:
      return "at work without the kernel";
    case Phase::confirm:
      return "confirming the gain in separate processes";
  }
  return "running";
}

// Where none of the candidate's code is loaded, it is not to blame.
void hold_machine_responsible(Phase phase, const std::string& what) {
  const bool is_before = phase == Phase::start || phase == Phase::queue;
  if (!is_before && phase != Phase::harness) return;
  throw Error(Stop::environment,
              fmt::format("the runner {} {}, or try another --device", what,
                          is_before ? "before it reached the kernel; run again with -v"
                                    : "while none of the kernel's code was loaded, only the "
                                      "harness's or the incumbent's; run "
                                      "again with -v, or with a longer --timeout"));
}

[[nodiscard]] std::string name_of(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation == nullptr ? fmt::format("signal {}", signal)
                                 : fmt::format("SIG{}", abbreviation);
}

[[nodiscard]] std::string_view hint_for(int signal) {
  if (signal == SIGKILL) return "; most likely by the system's out-of-memory killer";
  if (signal == SIGABRT) return "; its last output is in the log";
  return "";
}

[[nodiscard]] std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return {};
  const std::size_t newline = text.rfind('\n', end);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(begin, end + 1 - begin);
}

[[nodiscard]] Result failed(Verdict verdict, std::string reason) {
  Result result;
  result.verdict = verdict;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

Result past_deadline(Phase phase, std::chrono::duration<double> limit,
                     const std::string& whereabouts) {
  hold_machine_responsible(phase, fmt::format("took more than {:g} s", limit.count()));
  std::string reason =
      fmt::format("{} took more than {:g} s (--timeout)", activity(phase), limit.count());
  if (!whereabouts.empty()) reason += "; when it was stopped: " + whereabouts;
  return failed(Verdict::timed_out, std::move(reason));
}

Result past_processor_time(Phase phase, std::chrono::duration<double> limit) {
  const std::string what = fmt::format("took more than {:g} s of processor time", limit.count());
  hold_machine_responsible(phase, what);
  return failed(Verdict::timed_out, fmt::format("{} {} (--timeout)", activity(phase), what));
}

Result over_memory_limit(Phase phase, std::uint64_t held, std::uint64_t limit) {
  const std::string what =
      fmt::format("held {} MiB of memory, {} are allowed", held >> 20U, limit >> 20U);
  hold_machine_responsible(phase, what);
  return failed(phase == Phase::compile ? Verdict::does_not_compile : Verdict::crashed,
                fmt::format("{} {}", activity(phase), what));
}

Result ended_without_result(Phase phase, const Ending& ending, const std::string& printed) {
  // Only while compiling: later, code of the kernel's own could end the process like this.
  if (phase == Phase::compile && ending.signal == 0 && ending.code == compile::kCompilerCrashed)
    return failed(Verdict::does_not_compile, last_line(printed));
  if (ending.signal == 0) {
    const std::string words = last_line(printed);
    throw Error(Stop::internal,
                fmt::format("the runner ended with code {} and no result while {}{}", ending.code,
                            activity(phase), words.empty() ? "" : "; it last printed: " + words));
  }
  const std::string what = "was killed by " + name_of(ending.signal);
  hold_machine_responsible(phase, what);
  return failed(Verdict::crashed, fmt::format("the runner {} while {}{}", what, activity(phase),
                                              hint_for(ending.signal)));
}

}  // namespace autokernel::trial
