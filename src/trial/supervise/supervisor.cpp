#include "autokernel/trial/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "autokernel/base/defences.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/process_tree.h"
#include "autokernel/base/scratch.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/host_library.h"
#include "autokernel/trial/command.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/runner_environment.h"
#include "autokernel/trial/sources.h"
#include "trial/supervise/elsewhere.h"
#include "trial/supervise/harness_memory.h"
#include "trial/supervise/judged.h"
#include "trial/supervise/lost_runner.h"
#include "trial/supervise/runner_process.h"
#include "trial/supervise/sanitized_result.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

// How often memory is looked at and progress reported. A compiler can fill memory within seconds,
// so it is watched closely; while a kernel is timed on the same CPU, looking costs, so it is left
// alone for longer.
constexpr milliseconds kCloseWatch{50};
constexpr milliseconds kLooseWatch{250};
// On a GPU, the last process to go takes the driver down with it, for a tenth of a second in the
// kernel. The answer of a runner does not wait for that.
constexpr milliseconds kShortFarewell{5};
// A runner that has answered still gives its device back; one that hangs in that is not waited for.
constexpr milliseconds kLongestFarewell{3000};
// What a kernel that does not end is given to say where it stands: it is gone within a second of
// its deadline, and an answer takes a few milliseconds on an idle machine.
constexpr milliseconds kLongestAnswer{400};
// Between closing its channel and its end a process only unmaps its memory.
constexpr milliseconds kLongestDeath{10000};
// A runner that was ready begins within milliseconds; one that is still getting ready, or waits for
// the device to do so, within this or not at all. It is not waited for longer.
constexpr Seconds kLongestLentStart{10};

// The limit on compiling is one of processor time. It is one of the wall clock where a process uses
// less than this share of it: it does not compile then, but hangs.
constexpr double kLeastShare = 0.25;
// Headers of a library take longer than any kernel of a single file, and more memory: a CuTe kernel
// 15 s and 2 GiB for each size. So does Python with PyTorch: 5 s and 0.3 GiB to import it, for each
// size.
constexpr double kCompileWithHeaders = 5;
constexpr std::uint64_t kMemoryWithHeaders = 2;

// 0 where the case does not say: what is wrong with it the runner tells.
[[nodiscard]] std::uint64_t harness_bytes_for(const Request& request) {
  try {
    const cases::Case problem = case_of(request);
    const auto sizes = problem.sizes.find(request.size);
    return sizes == problem.sizes.end()
               ? 0
               : harness_bytes(cases::at_size(problem, request.size), sizes->second);
  } catch (const Error&) {
    return 0;
  }
}

[[nodiscard]] Limits limits_for(const Request& request, Limits limits) {
  limits.memory_bytes += harness_bytes_for(request);
  // Nothing of a candidate runs where a baseline is built.
  if (!request.only_baseline.empty())
    limits.memory_bytes += compile::kCompilerBytes * compile::compilers_at_a_time();
  const bool has_libraries = request.header_folders && !request.header_folders->empty();
  if (has_libraries || runs_python(request)) {
    limits.compile_seconds *= kCompileWithHeaders;
    limits.memory_bytes *= kMemoryWithHeaders;
  }
  return limits;
}

[[nodiscard]] milliseconds watch_interval(Phase phase) {
  return phase == Phase::time || phase == Phase::confirm ? kLooseWatch : kCloseWatch;
}

[[nodiscard]] Seconds limit_of(Phase phase, const Limits& limits) {
  switch (phase) {
    case Phase::start:
      return Seconds(limits.start_seconds);
    case Phase::queue:
      return Seconds(limits.queue_seconds);
    case Phase::compile:
      return Seconds(limits.compile_seconds);
    case Phase::check:
      return Seconds(limits.check_seconds);
    case Phase::time:
    case Phase::confirm:
    case Phase::harness:
      return Seconds(limits.time_seconds);
  }
  return Seconds(0);
}

[[nodiscard]] RunnerEnvironment environment_for(const Request& request) {
  if (request.confined) return runner_environment(own_variables());
  // A profiler tells its library what to do by variables of its own.
  return {.variables = own_variables(), .ignored = {}};
}

// A runner that was lent has met something that it need not have met in a process of our own.
struct LentInVain {
  std::string why;
};

// One trial under way. Members are destroyed from the last to the first: the runner is killed
// before its relations are looked for, those before its files are removed, and all of it before
// signals are let through again.
class SupervisedTrial {
 public:
  SupervisedTrial(const Request& request, const Limits& limits, const Observer& observer,
                  const RunnerCommand& command)
      : limits_(limits_for(request, limits)),
        observer_(observer),
        environment_(environment_for(request)),
        runner_(command, request, environment_.variables, scratch_.path()) {
    if (runner_.is_lent()) tree_.add_guest(runner_.id());
    note(runner_.is_lent() ? fmt::format("runner {} was ready", runner_.id())
                           : fmt::format("runner {} started, temporary files in {}", runner_.id(),
                                         scratch_.path().string()));
  }

  // Throws LentInVain where the same has to be tried with a runner of our own.
  [[nodiscard]] Result run() {
    while (!result_ && !runner_.has_hung_up()) {
      const Clock::time_point deadline = next_deadline();
      const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
      const milliseconds patience = std::clamp(left, milliseconds{0}, watch_interval(phase_));
      // What has arrived counts before the deadline does: this program may have been stopped in
      // between.
      for (Event& event : runner_.exchange(patience, interrupts_.descriptor())) {
        std::visit([this](auto& what) { take(what); }, event);
      }
      if (const std::optional<int> signal = interrupts_.next()) {
        if (!observer_.interrupted || !observer_.interrupted(*signal)) throw Interrupted(*signal);
      }
      if (!result_ && !runner_.has_hung_up()) watch(deadline);
    }
    if (result_ && may_end_later(*result_)) return finished(std::move(*result_));
    const std::optional<Ending> ending = runner_.ending(result_ ? kLongestFarewell : kLongestDeath);
    if (!ending) runner_.kill();
    if (result_) return finished(std::move(*result_));
    // It may have been ended with who lent it.
    if (runner_.is_lent()) throw LentInVain{"it ended without an answer"};
    if (!ending) {
      throw Error(Stop::internal, "the runner stopped talking, but did not end: killed");
    }
    // A child of the runner compiles the kernel, and its crash is an answer. That of the runner
    // itself comes from opening a device for the judge meanwhile. The system's out-of-memory killer
    // takes whichever it likes.
    const bool is_judge =
        phase_ == Phase::compile && ending->signal != 0 && ending->signal != SIGKILL;
    return finished(completed(
        ended_without_result(is_judge ? Phase::harness : phase_, *ending, runner_.printed())));
  }

 private:
  // Whether somebody sees to the end of the runner whose result that is.
  [[nodiscard]] bool may_end_later(const Result& result) {
    if (runner_.is_lent()) return true;  // who lent it
    const bool is_on_gpu = result.device && !result.device->emulated;
    if (!has_answered_ || !is_on_gpu || runner_.ending(kShortFarewell)) return false;
    tree_.spare(runner_.id());
    runner_.part();
    return true;
  }

  void take(Phase phase) {
    leave_phase();
    // Who comes back from the harness's work has had some of its time.
    const bool goes_on = phase_ == Phase::harness && phase == counted_;
    if (phase != Phase::harness && !goes_on) used_of_phase_ = {};
    phase_ = phase;
    if (phase != Phase::harness) counted_ = phase;
    if (phase == Phase::compile) used_before_ = tree_.processor_seconds();
    note(fmt::format("runner entered phase {}", spelling(phase)));
  }
  void take(Outline& outline) {
    known_ = std::move(outline.known);
    sanitize(known_);
    if (observer_.learned && !std::exchange(has_learned_, true)) observer_.learned(known_);
  }
  void take(Code& code) { ptx_ = std::move(code.ptx); }
  void take(Whereabouts& answer) { whereabouts_ = std::move(answer.text); }
  void take(Result& result) {
    result_ = std::move(result);
    has_answered_ = true;
  }
  [[noreturn]] void take(const Failure& failure) {
    if (const std::string printed = runner_.printed(); !printed.empty()) {
      note("printed by the runner: " + printed);
    }
    const std::string what = sanitized_reason(failure.what);
    // What was opened long ago may have been lost since, as a device is at a reset.
    const bool is_its_own = failure.stop == Stop::environment || failure.stop == Stop::internal;
    if (runner_.is_lent() && is_its_own && !failure.is_other_device) throw LentInVain{what};
    if (failure.is_other_device) throw OtherDevice(what);
    throw Error(failure.stop, what);
  }

  // Time and memory, between two exchanges.
  void watch(Clock::time_point deadline) {
    const Clock::time_point now = Clock::now();
    if (observer_.progress) observer_.progress(phase_, now - entered_);
    if (now >= deadline && stands(Defence::deadlines)) {
      if (ask_where_it_stands()) return;
      end_early([&] { return past_deadline(phase_, limit_of(phase_, limits_), whereabouts_); });
      return;
    }
    if (now < next_look_) return;
    next_look_ = now + watch_interval(phase_);
    if (phase_ == Phase::compile && watch_compile(now)) return;
    const std::uint64_t held = tree_.held_bytes();
    if (held > limits_.memory_bytes) {
      end_early([&] { return over_memory_limit(phase_, held, limits_.memory_bytes); });
    }
  }

  // True where the trial has ended by it.
  [[nodiscard]] bool watch_compile(Clock::time_point now) {
    if (!stands(Defence::deadlines)) return false;
    const Seconds limit(limits_.compile_seconds);
    const Seconds elapsed = now - entered_;
    const Seconds used(tree_.processor_seconds() - used_before_);
    if (used >= limit) {
      end_early([&] { return past_processor_time(phase_, limit); });
      return true;
    }
    if (elapsed < limit || used >= elapsed * kLeastShare) return false;
    end_early([&] { return past_deadline(phase_, limit); });
    return true;
  }

  [[nodiscard]] Clock::time_point next_deadline() const {
    if (asked_) return whereabouts_.empty() ? *asked_ + kLongestAnswer : *asked_;
    // watch_compile() has its own.
    if (phase_ == Phase::compile) return Clock::time_point::max();
    Seconds limit = limit_of(phase_, limits_);
    if (phase_ == Phase::start && runner_.is_lent()) limit = std::min(limit, kLongestLentStart);
    if (phase_ != Phase::harness) limit -= used_of_phase_;
    return entered_ + std::chrono::duration_cast<Clock::duration>(limit);
  }
  // Only the emulated device knows, and only while a kernel runs. False where it has been asked.
  [[nodiscard]] bool ask_where_it_stands() {
    const bool knows = known_.device && known_.device->emulated;
    const bool runs_kernels =
        phase_ == Phase::check || phase_ == Phase::time || phase_ == Phase::confirm;
    if (asked_ || !knows || !runs_kernels) return false;
    asked_ = Clock::now();
    runner_.ask();
    return true;
  }

  template <typename MakeResult>
  void end_early(MakeResult make_result) {
    runner_.kill();
    note(fmt::format("runner {} killed in phase {}", runner_.id(), spelling(phase_)));
    // It may have been at work on what was only expected.
    if (runner_.is_lent() && (phase_ == Phase::start || phase_ == Phase::compile)) {
      throw LentInVain{"it took too much, or too long"};
    }
    result_ = completed(make_result());
  }

  // What the runner did not live to say, as far as it is known.
  [[nodiscard]] Result completed(Result loss) {
    Result result = std::move(known_);
    if (phase_ == Phase::confirm && result.comparison) {
      make_inconclusive(*result.comparison, "in its own process, a kernel fails: " + loss.reason);
      return result;
    }
    for (StageReport& report : result.stages) {
      if (report.outcome == StageOutcome::failed) report.reason = loss.reason;
    }
    result.verdict = loss.verdict;
    result.reason = std::move(loss.reason);
    result.detail = std::move(loss.detail);
    result.lost_in = phase_;
    return result;
  }

  void leave_phase() {
    const Clock::time_point now = Clock::now();
    seconds_[spelling(counted_)] += Seconds(now - entered_).count();
    if (phase_ != Phase::harness) used_of_phase_ += now - entered_;
    entered_ = now;
    asked_.reset();
    whereabouts_.clear();
  }

  [[nodiscard]] Result finished(Result result) {
    leave_phase();
    result.ptx = std::move(ptx_);
    const int stragglers = tree_.kill_all();
    // One that has answered leaves its launchers to us.
    if (stragglers > 0 && !has_answered_)
      note(fmt::format("{} processes outlived the runner: killed", stragglers));
    if (const std::string printed = runner_.printed(); !printed.empty()) {
      result.detail += (result.detail.empty() ? "" : "\n") + ("printed by the runner:\n" + printed);
    }
    if (std::string warning = warning_of(environment_); !warning.empty()) {
      result.warnings.push_back(std::move(warning));
    }
    sanitize(result);
    // The runner knows its phases better; what it could not tell is filled in.
    result.phase_seconds.merge(seconds_);
    present_timings(result);
    result.total_seconds = Seconds(Clock::now() - begun_).count();
    return result;
  }

  // On the clock of the trial, in the order in which things began.
  void present_timings(Result& result) const {
    const double begun = Seconds(begun_.time_since_epoch()).count();
    for (Span& span : result.timings) {
      span.begin_seconds -= begun;
      span.end_seconds -= begun;
    }
    std::ranges::sort(result.timings, {}, &Span::begin_seconds);
  }

  void note(const std::string& line) const {
    if (observer_.note) observer_.note(line);
  }

  const Limits limits_;
  const Observer& observer_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point entered_ = begun_;
  Clock::time_point next_look_ = begun_;
  double used_before_ = 0;  // seconds of processor time, when compiling began
  Phase phase_ = Phase::start;
  Phase counted_ = Phase::start;  // what its time counts to: the harness's work is for another one
  Seconds used_of_phase_{};       // up to when it was last left for the harness's work
  std::map<std::string, double> seconds_;
  Result known_;
  bool has_learned_ = false;
  std::optional<Result> result_;
  bool has_answered_ = false;
  std::string ptx_;
  std::optional<Clock::time_point> asked_;  // where it stands, past its deadline
  std::string whereabouts_;
  Interrupts interrupts_;
  RunnerEnvironment environment_;
  ScratchDirectory scratch_;
  ProcessTree tree_;
  RunnerProcess runner_;
};

}  // namespace

Result supervise(const Request& request, const Limits& limits, const Observer& observer,
                 const RunnerCommand& runner) {
  if (!request.device.place.empty()) {
    if (is_of_command(request)) {
      throw Error(Stop::usage, fmt::format("cannot measure on {}: cases of commands run on this "
                                           "machine alone",
                                           driver::spelling(request.device)));
    }
    return driver::kind_of_place(request.device.place) == driver::PlaceKind::judge
               ? supervise_judged(request, limits, observer)
               : supervise_elsewhere(request, limits, observer);
  }
  if (is_of_command(request)) {
    if (!request.python_allowed) {
      throw Error(Stop::usage,
                  "cannot measure " + request.kernel_file.string() +
                      ": it is built and run by commands that the record names; --allow lets them "
                      "run, each confined to a folder of its own");
    }
    return supervise_command(request, observer);
  }
  if (!request.python_allowed && runs_python(request)) {
    throw Error(
        Stop::usage,
        "cannot measure " + request.kernel_file.string() +
            ": it is compiled, or compared, by Python that the record names; --allow lets it "
            "run, confined to a folder of its own");
  }
  try {
    return SupervisedTrial(request, limits, observer, runner).run();
  } catch (const LentInVain& lent) {
    if (observer.note) observer.note("the runner that was ready is of no use: " + lent.why);
  }
  RunnerCommand own = runner;
  own.may_be_ready = false;
  return SupervisedTrial(request, limits, observer, own).run();
}

}  // namespace autokernel::trial
