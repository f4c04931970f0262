#include "trial/runner/confirmation.h"

#include <fmt/format.h>

#include <utility>

#include "trial/decide/confirmation_rule.h"
#include "trial/decide/input_dependence.h"
#include "trial/decide/pairing.h"
#include "trial/time/plausible_times.h"

namespace autokernel::trial {
namespace {

// On an H200 every time moves by up to 0.15 us from process to process (docs/measurement.md). On
// the emulated device where code and buffers happen to lie makes up to 2.5 % of a launch.
constexpr ProcessSpread kOnAGpu{.microseconds = 0.2};
constexpr ProcessSpread kEmulated{.relative = 0.025};

// The candidate's launches of which one is judged. It is drawn when the launch is over, and a
// kernel that is wrong in so few that none is found saves nothing by it.
constexpr std::uint32_t kLaunchesPerJudged = 3;

// Whether all processes may be there at once. A kernel with a library's headers takes gigabytes to
// compile, and each process keeps its buffers on the device.
bool fit_together(const ConfirmationTask& task) {
  constexpr std::uint64_t kSmall = std::uint64_t{256} << 20U;
  std::uint64_t bytes = 0;
  for (const SizedTensor& tensor : task.sized.tensors) bytes += tensor.bytes;
  return task.launches.headers.empty() && bytes <= kSmall;
}

Rejection in_its_own_process(Rejection rejection) {
  rejection.reason = "in its own process: " + rejection.reason;
  return rejection;
}

}  // namespace

Confirmation::Confirmation(ConfirmationTask task)
    : task_(std::move(task)), side_by_side_(fit_together(task_)) {
  for (const Who who : kOrder) {
    start(who);
    if (!side_by_side_) break;
  }
}

void Confirmation::start(Who who) {
  const bool is_candidate = who == Who::candidate;
  LaunchTask launches = task_.launches;
  if (!is_candidate) {
    launches.source = task_.incumbent.source;
    launches.files = task_.incumbent.files;
    launches.kernel_headers = task_.incumbent.headers;
    launches.kernel_name = task_.incumbent.kernel_name;
    launches.compiler = launches.incumbent_compiler;
  }
  launches.incumbent.reset();
  // Both were checked a moment ago, or when they were the candidate.
  launches.checked = false;
  launches.times_only = true;
  launches.further_sizes.clear();
  launches.samples = is_candidate ? candidate_samples(!task_.device.emulated) : kIncumbentSamples;
  launches.recording_seconds.reset();
  started_.push_back(Timeline::Clock::now());
  sessions_.push_back(std::make_unique<LauncherSession>(task_.launcher, task_.sized.output_bytes(),
                                                        task_.preparation));
  sessions_.back()->assign(launches, task_.device, {&task_.sized, &task_.sized}, task_.keys);
}

void Confirmation::attend(std::size_t process) {
  who_ = kOrder.at(process);
  began_ = started_.at(process);
}

std::string Confirmation::failure(const Rejection& rejection) const {
  return fmt::format("in its own process, {} fails: {}",
                     who_ == Who::candidate ? "the kernel" : task_.incumbent.name,
                     rejection.reason);
}

std::optional<std::string> Confirmation::get_ready() {
  task_.begins();
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    attend(i);
    const std::optional<Timing> ended = sessions_[i]->get_ready(*this);
    if (!ended) continue;
    if (const auto* rejected = std::get_if<Rejection>(&*ended)) return failure(*rejected);
    return "in its own process, a kernel was timed too early";
  }
  return std::nullopt;
}

std::optional<Rejection> Confirmation::confirm(PairedComparison& comparison) {
  if (const auto reason = get_ready()) {
    make_inconclusive(comparison, *reason);
    return std::nullopt;
  }
  std::vector<std::vector<double>> candidate;
  std::vector<std::vector<double>> incumbent;
  for (std::size_t i = 0; i < kOrder.size(); ++i) {
    if (i == sessions_.size()) start(kOrder.at(i));
    auto times_us = measure(i);
    if (wrong_) return in_its_own_process(*std::move(wrong_));
    if (const auto* reason = std::get_if<std::string>(&times_us)) {
      make_inconclusive(comparison, *reason);
      return std::nullopt;
    }
    const bool is_candidate = who_ == Who::candidate;
    if (!side_by_side_) {
      // The next process gets ready while this one's launches are judged and its device is given
      // back.
      sessions_[i]->dismiss();
      if (i + 1 < kOrder.size()) start(kOrder.at(i + 1));
    }
    if (auto rejected = task_.judge(sessions_[i]->account().take_records())) {
      return in_its_own_process(*std::move(rejected));
    }
    if (!side_by_side_ || task_.device.emulated) sessions_[i].reset();
    (is_candidate ? candidate : incumbent).push_back(std::get<std::vector<double>>(times_us));
  }

  const SeparateGain separate =
      compare_separate_processes(candidate, incumbent, task_.device.emulated ? kEmulated : kOnAGpu);
  comparison.confirmed_gain = separate.gain;
  const bool disturbed = !comparison.disturbance.empty();
  const bool is_confirmed =
      comparison.outcome == Outcome::faster
          ? confirms_gain(separate, comparison.gain, comparison.min_gain, disturbed)
          : !disturbed && confirms_as_fast(separate, comparison.min_gain);
  if (is_confirmed) return std::nullopt;
  make_inconclusive(
      comparison,
      fmt::format(
          "measured again in separate processes, the difference is {:+.2f} %, in the slowest of "
          "them {:+.2f} %, by the plain mean {:+.2f} %, with an uncertainty of {:.2f} %{}{}",
          -100 * separate.gain, -100 * separate.least_gain, -100 * separate.plain_gain,
          100 * separate.uncertainty, disturbed ? ", and " : "", comparison.disturbance));
  return std::nullopt;
}

std::variant<std::vector<double>, std::string> Confirmation::measure(std::size_t process) {
  task_.begins();
  attend(process);
  std::vector<pid_t> launchers;
  for (const auto& session : sessions_) {
    if (session) launchers.push_back(session->id());
  }
  monitor_ = task_.monitor(std::move(launchers));
  unclean_.clear();
  Timing timing = sessions_[process]->follow(*this, device_worked_at_);
  device_worked_at_ = Timeline::seconds(Timeline::Clock::now());
  if (const auto* rejected = std::get_if<Rejection>(&timing)) return failure(*rejected);
  auto& timed = std::get<Timed>(timing);
  if (!unclean_.empty()) return "measured again in a separate process, " + unclean_;
  if (const auto rejected = implausible(task_.device, task_.sized, timed))
    return failure(*rejected);
  return counted_times(std::move(timed.samples_us), timed.sampled_on).times_us;
}

bool Confirmation::is_judged(const Delivered& /*delivered*/) {
  return who_ == Who::candidate && draw_key().words[0] % kLaunchesPerJudged == 0;
}

std::optional<Rejection> Confirmation::batch_done(LaunchAccount& account) {
  wrong_ = task_.judge(account.take_records());
  task_.begins();
  return wrong_;
}

std::optional<Rejection> Confirmation::checked(LaunchAccount& /*account*/) {
  began_ = Timeline::Clock::now();
  return std::nullopt;
}

void Confirmation::compiled(Compiled& /*compiled*/) { note_time_of("gets ready"); }

void Confirmation::note_time_of(const char* what) {
  task_.timeline.add(
      fmt::format("apart: {} {}", who_ == Who::candidate ? "the kernel" : "the incumbent", what),
      began_);
}

bool Confirmation::counts(const SampleTaken& sample) { return monitor_->counts(sample.repeatable); }

void Confirmation::timed() {
  note_time_of("is timed");
  unclean_ = monitor_->conditions().unclean;
}

}  // namespace autokernel::trial
