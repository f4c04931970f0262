#include "loop/drive_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ratio>
#include <utility>
#include <vector>

#include "loop/editable_set.h"
#include "loop/run_clock.h"
#include "loop/scope.h"
#include "loop/seal.h"

namespace autokernel::loop {
namespace {

using Hours = std::chrono::duration<double, std::ratio<3600>>;

}  // namespace

std::string DriveBudget::why_stop(const Status& status, int experiments) const {
  if (std::string run = status.why_stop(); !run.empty()) return run;
  if (budget_.max_runs && experiments >= *budget_.max_runs) return "--max-runs was reached";
  if (budget_.hours && Hours(std::chrono::steady_clock::now() - begun_).count() >= *budget_.hours) {
    return fmt::format("{:g} hours have passed", *budget_.hours);
  }
  const int streak = std::min(status.streak, experiments);
  if (budget_.no_progress && streak >= *budget_.no_progress) {
    return fmt::format("{} experiments in a row without a gain", streak);
  }
  return {};
}

void take_over_what_changed(const Workspace& workspace, RunRecord& record) {
  if (workspace.found_cut_turn()) return;
  const repo::Repository& repository = workspace.repository();
  ledger::RunStarted& run = record.status().run;
  std::vector<Strayed> strayed =
      strayed_files(repository, run, repository.changes(Folders::are_own));
  if (strayed.empty()) return;
  std::erase_if(strayed, [&](const Strayed& one) { return !run.guarded.contains(one.path); });
  record.status().strayed = list_of(strayed);
  require_nothing_strayed(record.status());
  run.unsaved = unsaved_files(repository, EditableSet(run));
  const ledger::RunResumed entry{.at = now_utc(), .tag = run.tag, .unsaved = run.unsaved};
  Recording recording =
      nothing_to_record(workspace, record, "recording what lies in the worktree", {});
  add_entries(recording, repository, workspace.folders(), run.tag, {entry});
  record.apply(recording);
}

Recording nothing_to_record(const Workspace& workspace, RunRecord& record, const std::string& what,
                            const std::string& file_from) {
  const ledger::RunStarted& run = record.status().run;
  Recording recording;
  recording.what = what;
  recording.branch = run.branch;
  recording.editable = run.editable;
  if (!file_from.empty()) {
    const std::vector<std::string> paths =
        EditableSet(run).anywhere(workspace.repository(), {file_from});
    recording.editable_files.assign(paths.begin() + 1, paths.end());
  }
  recording.ledger.at = record.open_ledger().end();
  recording.file_from = file_from;
  return recording;
}

Cleanup clean_up_under_journal(const Workspace& workspace, RunRecord& record,
                               const std::optional<SavedIndex>& index) {
  if (index) keep_on_disk(workspace.repository(), *index);
  const std::filesystem::path journal = workspace.folders().journal();
  write_journal(journal, nothing_to_record(workspace, record, "cleaning up after the agent", {}));
  workspace.at("tidying up");
  Cleanup cleanup = clean_up(workspace.repository(), workspace.folders(), record.status(), index);
  workspace.at("tidied up");
  remove_journal(journal);
  workspace.at("journal removed");
  forget_saved_index(workspace.repository());
  return cleanup;
}

}  // namespace autokernel::loop
