#include "autokernel/loop/status.h"

#include <fmt/format.h>

#include "autokernel/ledger/time_scale.h"
#include "loop/editable_set.h"

namespace autokernel::loop {
std::optional<double> Status::gain_over_baseline() const {
  double share = 1;  // of the time, or of a metric, that is left
  bool any = false;
  for (const ledger::Experiment& experiment : experiments) {
    if (experiment.status != ledger::Status::keep || !experiment.gain) continue;
    share *= 1 - experiment.gain->estimate;
    any = true;
  }
  if (!any) return std::nullopt;
  return 1 - share;
}

std::optional<double> Status::best_us() const {
  const std::optional<double> first = baseline.figure();
  if (!first) return std::nullopt;
  return ledger::after_gain(baseline, *first, gain_over_baseline().value_or(0));
}

// The driver names its device so, and the run remembers nothing else of it.
bool Status::is_emulated() const { return run.device_name.find("emulated") != std::string::npos; }

bool Status::is_plateau() const { return streak >= kPlateau; }

bool Status::is_budget_used_up() const {
  const ledger::Budget& budget = run.budget;
  return (budget.max_runs && counts.experiments() >= *budget.max_runs) ||
         (budget.hours && hours >= *budget.hours);
}

std::string Status::why_stop() const {
  const ledger::Budget& budget = run.budget;
  if (budget.max_runs && counts.experiments() >= *budget.max_runs) {
    return fmt::format("all {} experiments were made", *budget.max_runs);
  }
  if (budget.hours && hours >= *budget.hours) {
    return fmt::format("{:g} hours have passed", *budget.hours);
  }
  if (budget.no_progress && streak >= *budget.no_progress) {
    return fmt::format("{} experiments in a row without a gain", streak);
  }
  if (finished) return "the run was finished, and its gain measured again";
  return {};
}

std::string Status::next() const {
  if (!under_way.empty()) {
    return "wait until it ends; 'autokernel loop status' then shows the result";
  }
  if (!strayed.empty()) {
    return fmt::format("restore what was changed besides {}: {}", EditableSet(run).names(),
                       strayed);
  }
  if (finished) return "merge what was kept; another step continues the run";
  if (!why_stop().empty()) return "stop: autokernel loop finish measures the gain again";
  if (is_plateau()) {
    return fmt::format(
        "{} in a row without a gain: change the structure (how the work is divided, what is kept "
        "where), not constants",
        streak);
  }
  return fmt::format("edit {}, then: autokernel loop step -m \"what you changed, and why\"",
                     EditableSet(run).names());
}

}  // namespace autokernel::loop
