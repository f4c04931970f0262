#include "autokernel/loop/status.h"

#include <fmt/format.h>

#include "loop/account.h"

namespace autokernel::loop {
namespace {

// So many experiments in a row without a gain: constants have been tried, the structure has not.
constexpr int kPlateau = 6;

}  // namespace

std::optional<double> Status::gain_over_baseline() const {
  double share = 1;
  bool any = false;
  for (const ledger::Experiment& experiment : experiments) {
    if (experiment.status != ledger::Status::keep || !experiment.gain) continue;
    share *= 1 - experiment.gain->estimate;
    any = true;
  }
  if (!any) return std::nullopt;
  return 1 - share;
}

bool Status::is_plateau() const { return streak >= kPlateau; }

bool Status::is_budget_used_up() const {
  const ledger::Budget& budget = run.budget;
  return (budget.max_runs && counts.experiments() >= *budget.max_runs) ||
         (budget.hours && hours >= *budget.hours);
}

std::string Status::why_stop() const {
  const ledger::Budget& budget = run.budget;
  if (budget.max_runs && counts.experiments() >= *budget.max_runs) {
    return fmt::format("all {} experiments are used up", *budget.max_runs);
  }
  if (budget.hours && hours >= *budget.hours) {
    return fmt::format("{:g} hours are over", *budget.hours);
  }
  if (budget.no_progress && streak >= *budget.no_progress) {
    return fmt::format("{} experiments in a row without a gain", streak);
  }
  if (finished) return "the run was finished, and its gain measured again";
  return {};
}

std::string Status::next() const {
  if (!strayed.empty()) {
    return fmt::format("put back what has changed besides {}: {}", run.editable, strayed);
  }
  if (finished) return "merge what was kept; a step all the same goes on with the run";
  if (!why_stop().empty()) return "stop: autokernel loop finish measures the gain again";
  if (is_plateau()) {
    return fmt::format(
        "{} in a row without a gain: change the structure (how the work is divided, what is kept "
        "where), not constants",
        streak);
  }
  return fmt::format("edit {}, then: autokernel loop step -m \"what you changed, and why\"",
                     run.editable);
}

std::optional<Status> account_of(const std::vector<ledger::Row>& rows, const std::string& branch) {
  std::optional<Status> status;
  for (const ledger::Row& row : rows) {
    if (const auto* run = std::get_if<ledger::RunStarted>(&row.entry)) {
      if (run->branch != branch) continue;
      status.emplace();
      status->run = *run;
      status->experiments.reserve(rows.size());
    } else if (const auto* experiment = std::get_if<ledger::Experiment>(&row.entry)) {
      if (status && experiment->tag == status->run.tag) add_to(*status, *experiment);
    } else if (const auto* turn = std::get_if<ledger::Turn>(&row.entry)) {
      if (status && turn->tag == status->run.tag) ++status->turns_in_vain;
    } else if (const auto* end = std::get_if<ledger::RunFinished>(&row.entry)) {
      if (status && end->tag == status->run.tag) status->finished = true;
    }
  }
  return status;
}

void add_to(Status& status, const ledger::Experiment& experiment) {
  status.experiments.push_back(experiment);
  status.turns_in_vain = 0;
  status.finished = false;
  if (experiment.number == 0) {
    status.baseline = experiment;
    status.best = experiment;
    return;
  }
  switch (experiment.status) {
    case ledger::Status::keep:
      ++status.counts.kept;
      status.best = experiment;
      status.streak = 0;
      return;
    case ledger::Status::discard:
      ++status.counts.discarded;
      break;
    case ledger::Status::crash:
      ++status.counts.failed;
      break;
  }
  ++status.streak;
}

}  // namespace autokernel::loop
