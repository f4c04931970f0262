#include "autokernel/ledger/time_scale.h"

namespace autokernel::ledger {

double after_gain(const Experiment& experiment, double figure, double gain) {
  const bool rises = experiment.metric && experiment.metric->higher_is_better;
  return rises ? figure / (1 - gain) : figure * (1 - gain);
}

std::optional<double> TimeScale::add(const Experiment& experiment) {
  std::optional<double> time;
  if (experiment.incumbent.empty()) {
    time = experiment.figure();
  } else if (const auto incumbent = incumbent_us(experiment); incumbent && experiment.gain) {
    time = after_gain(experiment, *incumbent, experiment.gain->estimate);
  }
  // A source that was rejected once and is tried again has a commit of its own each time.
  if (time) by_commit_[experiment.commit] = *time;
  return time;
}

std::optional<double> TimeScale::incumbent_us(const Experiment& experiment) const {
  const auto found = by_commit_.find(experiment.incumbent);
  if (found == by_commit_.end()) return std::nullopt;
  return found->second;
}

}  // namespace autokernel::ledger
