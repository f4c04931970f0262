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

}  // namespace

Confirmation::Confirmation(ConfirmationTask task) : task_(std::move(task)) {
  start(kOrder.front());
}

void Confirmation::start(Who who) {
  const bool is_candidate = who == Who::candidate;
  LaunchTask launches = task_.launches;
  if (!is_candidate) {
    launches.source = task_.incumbent.source;
    launches.files = task_.incumbent.files;
    launches.kernel_headers = task_.incumbent.headers;
  }
  launches.incumbent.reset();
  // Both were checked a moment ago, or when they were the candidate.
  launches.checked = false;
  launches.times_only = true;
  launches.samples = is_candidate ? candidate_samples(!task_.device.emulated) : kIncumbentSamples;
  launches.recording_seconds.reset();
  who_ = who;
  began_ = Timeline::Clock::now();
  session_ = std::make_unique<LauncherSession>(task_.launcher, task_.sized.output_bytes(),
                                               task_.preparation);
  session_->assign(launches, task_.device, task_.sized, task_.sized, task_.keys);
}

std::optional<Rejection> Confirmation::confirm(PairedComparison& comparison) {
  std::vector<std::vector<double>> candidate;
  std::vector<std::vector<double>> incumbent;
  for (std::size_t i = 0; i < kOrder.size(); ++i) {
    if (!session_) start(kOrder[i]);
    const bool is_candidate = who_ == Who::candidate;
    auto times_us = measure();
    if (const auto* reason = std::get_if<std::string>(&times_us)) {
      make_inconclusive(comparison, *reason);
      return std::nullopt;
    }
    // The next process gets ready while this one's launches are judged and its device is given
    // back.
    const std::unique_ptr<LauncherSession> last = std::move(session_);
    last->dismiss();
    if (i + 1 < kOrder.size()) start(kOrder[i + 1]);
    if (auto rejected = task_.judge(last->account().take_records())) {
      rejected->reason = "in its own process: " + rejected->reason;
      return rejected;
    }
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

std::variant<std::vector<double>, std::string> Confirmation::measure() {
  task_.begins();
  monitor_ = task_.monitor(session_->id());
  unclean_.clear();
  const auto fails = [&](const Rejection& rejection) {
    return fmt::format("in its own process, {} fails: {}",
                       who_ == Who::candidate ? "the kernel" : task_.incumbent.name,
                       rejection.reason);
  };
  Timing timing = session_->follow(*this);
  if (const auto* rejected = std::get_if<Rejection>(&timing)) return fails(*rejected);
  auto& timed = std::get<Timed>(timing);
  if (!unclean_.empty()) return "measured again in a separate process, " + unclean_;
  if (const auto rejected = implausible(task_.device, task_.sized, timed)) return fails(*rejected);
  return counted_times(std::move(timed.samples_us), timed.sampled_on).times_us;
}

bool Confirmation::is_judged(const Delivered& /*delivered*/) {
  return who_ == Who::candidate && draw_key().words[0] % kLaunchesPerJudged == 0;
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
