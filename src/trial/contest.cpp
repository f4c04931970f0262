#include "autokernel/trial/contest.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <vector>

#include "trial/apart.h"

namespace autokernel::trial {
namespace {

// On an H200 every time moves by up to 0.15 us from process to process (docs/measurement.md). On
// the emulated device where code and buffers happen to lie makes up to 2.5 % of a launch.
constexpr ProcessSpread kOnAGpu{.microseconds = 0.2};
constexpr ProcessSpread kEmulated{.relative = 0.025};
// Means of processes differ by more than the samples within one, so few are enough.
constexpr int kSamplesApart = 30;

enum class Who : std::uint8_t { candidate, opponent };

// By turns, and the same from either end, so that a machine that becomes slower all the time
// favours nobody. The candidate has one more, as its slowest counts: with the process that found
// the gain these are four in which a kernel that depends on luck must have it.
constexpr std::array kOrder = {Who::candidate, Who::opponent, Who::candidate, Who::opponent,
                               Who::candidate};

// The kernel is timed as it was a moment ago, by itself.
[[nodiscard]] Request alone(const Request& request, const std::string& source) {
  Request one = request;
  one.source = source;
  one.against.reset();
  one.keys.clear();
  one.checked = false;
  one.samples = kSamplesApart;
  return one;
}

void settle(const Request& request, const Opponent& against, const Limits& limits,
            const Observer& observer, const RunnerCommand& runner, Result& result,
            PairedComparison& comparison) {
  std::vector<std::vector<double>> candidate;
  std::vector<std::vector<double>> opponent;
  const auto doubt = [&](const std::string& why) {
    comparison.outcome = Outcome::inconclusive;
    comparison.reason += "; " + why;
  };
  for (const Who who : kOrder) {
    const bool ours = who == Who::candidate;
    const Result one =
        supervise(alone(request, ours ? request.source : against.source), limits, observer, runner);
    result.total_seconds += one.total_seconds;
    if (one.verdict != Verdict::correct || !one.times) {
      doubt(fmt::format("measured by itself, {} fails: {}",
                        ours ? "the kernel" : comparison.against, one.reason));
      return;
    }
    if (one.conditions && !one.conditions->unclean.empty()) {
      doubt("measured by itself, " + one.conditions->unclean);
      return;
    }
    (ours ? candidate : opponent).push_back(one.times->samples_us);
  }
  const bool emulated = result.device && result.device->emulated;
  const Apart apart = compare_apart(candidate, opponent, emulated ? kEmulated : kOnAGpu);
  comparison.gain_apart = apart.gain;
  const bool disturbed = !comparison.disturbance.empty();
  if (bears_out(apart, comparison.gain, comparison.min_gain, disturbed)) return;
  doubt(
      fmt::format("measured in processes of their own the difference is {:+.2f} %, in the slowest "
                  "of them {:+.2f} %, by the plain mean {:+.2f} %, give or take {:.2f} %{}{}",
                  -100 * apart.gain, -100 * apart.least_gain, -100 * apart.plain_gain,
                  100 * apart.uncertainty, disturbed ? ", and " : "", comparison.disturbance));
}

// A runner that is lost with both kernels loaded does not say whose launch it was, nor whether it
// was anybody's.
[[nodiscard]] bool may_be_innocent(const Request& request, const Result& result) {
  return request.against && result.lost_in == Phase::time;
}

}  // namespace

Result hold_contest(const Request& request, const Limits& limits, const Observer& observer,
                    const RunnerCommand& runner) {
  Result result = supervise(request, limits, observer, runner);
  if (may_be_innocent(request, result)) {
    const std::string first = std::move(result.reason);
    const double seconds = result.total_seconds;
    if (observer.note) observer.note(first + ", beside its opponent: tried once more");
    result = supervise(request, limits, observer, runner);
    result.total_seconds += seconds;
    if (!may_be_innocent(request, result)) {
      result.warnings.push_back(first + ", and not when it was tried once more");
    }
  }
  if (request.against && result.comparison && result.comparison->outcome == Outcome::faster) {
    settle(request, *request.against, limits, observer, runner, result, *result.comparison);
  }
  return result;
}

}  // namespace autokernel::trial
