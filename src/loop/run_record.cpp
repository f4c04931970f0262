#include "loop/run_record.h"

#include <fmt/format.h>

#include <future>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "loop/run_clock.h"
#include "loop/scope.h"
#include "loop/seal.h"

namespace autokernel::loop {

ledger::Ledger RunRecord::open_ledger() const {
  const std::filesystem::path folder = workspace_.folders().own();
  return workspace_.is_locked() ? ledger::Ledger::open(folder)
                                : ledger::Ledger::open_to_read(folder);
}

RunState& RunRecord::state() {
  if (known_) return *known_;
  RunState& run = read(workspace_.repository().head().branch);
  static_cast<void>(clear_unfinished(run.status));
  return run;
}

RunState& RunRecord::look() {
  const repo::Repository& repository = workspace_.repository();
  const bool is_known = known_.has_value();
  const std::string branch = repository.head().branch;
  // The ledger is read while git looks at all files: neither needs the other, and an agent asks for
  // both before every edit. Where there is no room for a thread, one comes after the other.
  std::future<RunState&> reading =
      std::async([&]() -> RunState& { return is_known ? *known_ : read(branch); });
  std::vector<repo::Change> changes = repository.changes(Folders::are_own);
  RunState& run = reading.get();
  // Git has seen what a killed program was writing.
  if (!is_known && clear_unfinished(run.status)) changes = repository.changes(Folders::are_own);
  run.status.strayed = list_of(strayed_files(repository, run.status.run, changes));
  return run;
}

RunState& RunRecord::read(const std::string& branch) {
  const ledger::Ledger ledger = open_ledger();
  for (const std::string& note : ledger.notes()) workspace_.say(note);
  ledger_notes_ = ledger.notes();
  RunStateReader reader(branch, ledger.lines());
  ledger.hand_over([&](const ledger::LineSpan& line, ledger::Entry&& entry) {
    reader.take(line, std::move(entry));
  });
  return adopt(std::move(reader).state(), branch);
}

bool RunRecord::clear_unfinished(const Status& status) const {
  if (!workspace_.is_locked()) return false;
  bool cleared = false;
  for (const std::string& path :
       EditableSet(status.run).anywhere(workspace_.repository(), {status.best.commit})) {
    cleared = remove_unfinished_of(workspace_.folders(), path) || cleared;
  }
  if (workspace_.found_cut_turn() && !status.experiments.empty()) {
    const int next = status.experiments.back().number + 1;
    static_cast<void>(
        remove_unfinished_of(workspace_.folders(), Folders::agent_log(status.run.tag, next)));
  }
  return cleared;
}

RunState& RunRecord::adopt(std::optional<RunState> found, const std::string& branch) {
  if (!found) {
    throw Error(Stop::repository,
                branch.starts_with("autokernel/")
                    ? fmt::format("there is no record of a run on {} in {}; start a new one from "
                                  "here: autokernel loop start TAG",
                                  branch, workspace_.folders().own().string())
                    : fmt::format("no run on {}: start one with 'autokernel loop start TAG', or "
                                  "switch to one with 'git switch autokernel/TAG'",
                                  branch.empty() ? "a detached head" : branch));
  }
  found->status.hours = hours_of(found->status);
  found->status.under_way = workspace_.under_way();
  return known_.emplace(*std::move(found));
}

void RunRecord::apply(const Recording& recording) {
  if (known_ && !recording.ledger.text.empty()) {
    const Seal seal = seal_of(recording.ledger);
    known_->last_line = {.offset = seal.offset, .length = seal.length};
  }
  for (const std::string& note : loop::apply(recording, workspace_.repository(),
                                             workspace_.folders(), workspace_.reached())) {
    workspace_.say(note);
  }
}

void RunRecord::repair() {
  if (workspace_.repair()) forget();
}

}  // namespace autokernel::loop
