#include "trial/decide/confirmation_rule.h"

#include <algorithm>
#include <cmath>

#include "autokernel/trial/decision.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] double mean_of_logs(const std::vector<double>& times_us) {
  double sum = 0;
  for (const double time : times_us) sum += std::log(time);
  return sum / static_cast<double>(times_us.size());
}

// So many standard errors the mean of a process's times may be off.
constexpr double kSamplingErrors = 2;
// How many times the uncertainty the gain may lack, and the slowest of some processes. Honest
// kernels that are faster by 1.4 times the minimum gain lose less than 1 in 100 by it.
constexpr double kOfTheMean = 2;
constexpr double kOfTheSlowest = 3;

// So many times what is usual on a device the incumbent's processes may be apart and count as the
// device's doing: whoever wrote the incumbent may have made it erratic.
constexpr double kWidest = 2;

// So many times that, and a gain cannot turn into a loss, however much the launches scatter.
constexpr double kTelling = 4;

struct Processes {
  double mean = 0;  // of logarithms, as all here
  double slowest = 0;
  double width = 0;           // between the fastest process and the slowest
  double sampling_error = 0;  // of the mean of one process
  double plain_mean_us = 0;   // of all launches
};

[[nodiscard]] Processes summed_up(const std::vector<std::vector<double>>& processes) {
  Processes all;
  double fastest = mean_of_logs(processes.front());
  all.slowest = fastest;
  double squares = 0;
  std::size_t samples = 0;
  for (const auto& times_us : processes) {
    const double mean = mean_of_logs(times_us);
    all.mean += mean / static_cast<double>(processes.size());
    fastest = std::min(fastest, mean);
    all.slowest = std::max(all.slowest, mean);
    for (const double time : times_us) squares += std::pow(std::log(time) - mean, 2);
    samples += times_us.size();
    for (const double time : times_us) all.plain_mean_us += time;
  }
  all.plain_mean_us /= static_cast<double>(samples);
  all.width = all.slowest - fastest;
  const auto degrees = static_cast<double>(samples - processes.size());
  const double each = static_cast<double>(samples) / static_cast<double>(processes.size());
  if (degrees > 0) all.sampling_error = std::sqrt(squares / degrees / each);
  return all;
}

}  // namespace

SeparateGain compare_separate_processes(const std::vector<std::vector<double>>& candidate,
                                        const std::vector<std::vector<double>>& incumbent,
                                        const ProcessSpread& spread) {
  const Processes ours = summed_up(candidate);
  const Processes theirs = summed_up(incumbent);
  const double shorter_us = std::exp(std::min(ours.mean, theirs.mean));
  const double usual = std::max(spread.relative, spread.microseconds / shorter_us);
  const double moved = std::clamp(theirs.width, usual, kWidest * usual);
  return {gain_of(theirs.mean - ours.mean), gain_of(theirs.mean - ours.slowest),
          std::hypot(moved, kSamplingErrors * theirs.sampling_error),
          1 - ours.plain_mean_us / theirs.plain_mean_us, kTelling * usual};
}

bool confirms_gain(const SeparateGain& separate, double gain, double min_gain, bool disturbed) {
  if (disturbed) return separate.least_gain - separate.uncertainty >= min_gain;
  if (separate.plain_gain + kOfTheMean * separate.uncertainty < 0) return false;
  if (gain >= separate.telling && separate.gain <= 0) return false;
  return separate.gain + kOfTheMean * separate.uncertainty >= gain / 2 &&
         separate.least_gain + kOfTheSlowest * separate.uncertainty >= gain / 2;
}

bool confirms_as_fast(const SeparateGain& separate, double min_gain) {
  return separate.gain + kOfTheMean * separate.uncertainty >= -min_gain &&
         separate.least_gain + kOfTheSlowest * separate.uncertainty >= -min_gain &&
         separate.plain_gain + kOfTheMean * separate.uncertainty >= -min_gain;
}

}  // namespace autokernel::trial
