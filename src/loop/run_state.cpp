#include "loop/run_state.h"

#include <utility>

namespace autokernel::loop {

void RunStateReader::take(const ledger::LineSpan& line, ledger::Entry&& entry) {
  if (auto* run = std::get_if<ledger::RunStarted>(&entry); run && run->branch == branch_) {
    begin(line, std::move(*run));
    return;
  }
  const std::string& tag =
      std::visit([](const auto& any) -> const std::string& { return any.tag; }, entry);
  if (!state_ || tag != state_->status.run.tag) return;
  state_->last_line = line;
  Status& status = state_->status;
  if (auto* experiment = std::get_if<ledger::Experiment>(&entry)) {
    add_to(status, std::move(*experiment));
  } else if (const auto* turn = std::get_if<ledger::Turn>(&entry)) {
    if (turn->outcome != ledger::kParked) ++status.turns_in_vain;
  } else if (auto* resumed = std::get_if<ledger::RunResumed>(&entry)) {
    status.run.unsaved = std::move(resumed->unsaved);
  } else if (auto* finished = std::get_if<ledger::RunFinished>(&entry)) {
    status.finished = true;
    status.confirmed.reset();
    if (finished->best == status.best.commit) status.confirmed = std::move(*finished);
  }
}

void RunStateReader::begin(const ledger::LineSpan& line, ledger::RunStarted&& run) {
  state_.emplace();
  state_->status.run = std::move(run);
  state_->status.experiments.reserve(entries_);
  state_->first_line = line;
  state_->last_line = line;
}

void add_to(Status& status, ledger::Experiment&& experiment) {
  status.turns_in_vain = 0;
  status.finished = false;
  const ledger::Experiment& added = status.experiments.emplace_back(std::move(experiment));
  if (added.number == 0) {
    status.baseline = added;
    status.best = added;
    return;
  }
  switch (added.status) {
    case ledger::Status::keep:
      ++status.counts.kept;
      status.confirmed.reset();
      status.best = added;
      status.streak = 0;
      return;
    case ledger::Status::discard:
      ++status.counts.discarded;
      break;
    case ledger::Status::crash:
      ++status.counts.failed;
      break;
  }
  // Whoever interrupts an experiment learns nothing from it.
  if (added.verdict != "interrupted") ++status.streak;
}

}  // namespace autokernel::loop
