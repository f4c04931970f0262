#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/time_scale.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/record.h"
#include "loop/anticipation.h"
#include "loop/candidate.h"
#include "loop/editable_set.h"
#include "loop/goal_trials.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/run_checks.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/run_reference.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

using Clock = std::chrono::steady_clock;

// A file that holds an idea ends with a line end, which has become a blank.
[[nodiscard]] std::string trimmed(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

[[nodiscard]] std::string required_idea(const std::string& text) {
  std::string idea = trimmed(visible_line(text));
  if (idea.empty()) {
    throw Error(Stop::usage, "an experiment needs its idea in a sentence: -m \"tiles of 64 x 64\"");
  }
  return idea;
}

void require_budget(const Status& status) {
  if (!status.is_budget_used_up()) return;
  throw Error(Stop::budget,
              fmt::format("no more experiments in run {}: {}; 'autokernel loop finish' measures "
                          "the gain again, --over-budget continues",
                          status.run.tag, status.why_stop()));
}

void require_edit(const Workspace& workspace, const Status& status) {
  const EditableSet editable(status.run);
  const std::filesystem::path& root = workspace.folders().root();
  // What is no file at all, git has words for.
  if (std::error_code gone; std::filesystem::is_regular_file(root / editable.main(), gone)) {
    if (const std::string fault = editable.fault(root); !fault.empty()) {
      throw Error(Stop::usage,
                  fmt::format("cannot try this edit: {}; make it smaller, or revert it ('git "
                              "checkout HEAD -- PATH', or remove what is new)",
                              fault));
    }
  }
  if (editable.matches(workspace.repository(), status.best.commit)) {
    throw Error(
        Stop::usage,
        fmt::format("nothing to try: {} {} the same as in {}; edit {} first", editable.names(),
                    status.run.editable_files.empty() ? "is" : "are", name_of(status.best),
                    status.run.editable_files.empty() ? "it" : "them"));
  }
}

// Whether the journal still speaks of a trial without a verdict. Once it has the verdict, the next
// command does the rest.
[[nodiscard]] bool is_undecided(const Folders& folders) {
  const std::optional<Journal> journal = read_journal(folders.journal());
  return journal && std::holds_alternative<Trying>(*journal);
}

// Throws where no experiment may be made now; else, where the run stands.
[[nodiscard]] Status& require_ready(const Workspace& workspace, RunRecord& record,
                                    const Measurer& measurer, const StepOptions& options) {
  record.repair();
  workspace.require_quiet_head();
  Status& status = record.look().status;
  if (options.accept) options.accept(status.run);
  require_known_device(status.run);
  require_sound(workspace, record, measurer);
  if (!options.over_budget) require_budget(status);
  require_edit(workspace, status);
  return status;
}

// The candidate against the incumbent, under a journal that says so.
[[nodiscard]] Judged measure(const Workspace& workspace, RunRecord& record,
                             const Measurer& measurer, const Candidate& candidate) {
  const repo::Repository& repository = workspace.repository();
  const Folders& folders = workspace.folders();
  const Trying& trying = candidate.trying;
  const ledger::Experiment& experiment = trying.experiment;
  const std::string reference = reference_of(experiment.tag, experiment.number);
  const GoalTrials trials(measurer, record.status().run, candidate.files);
  workspace.at("committed");
  write_journal(folders.journal(), trying);
  workspace.at("trying");
  Judged judged;
  try {
    set_run_reference(repository, reference, experiment.commit);
    workspace.at("referenced");
    judged = trials.measure(candidate.request, experiment.log);
  } catch (const Interrupted&) {
    record.apply(interrupted(trying, repository, folders));
    workspace.say(
        fmt::format("experiment {0} is recorded as interrupted, and {1} was restored to the "
                    "incumbent; 'autokernel restore {0}' brings its source back",
                    experiment.number, trying.editable));
    record.forget();  // it has one experiment more
    throw;
  } catch (const trial::OtherDevice& error) {
    undo_step(repository, folders, reference);
    throw Error(error.stop(),
                fmt::format("{}; a new run from here measures its baseline on this device: "
                            "'git stash && autokernel loop start TAG && git stash pop'",
                            error.what()));
  } catch (const Error&) {
    // The machine's fault: there was no experiment, and the edit stays where it is.
    undo_step(repository, folders, reference);
    throw;
  }
  workspace.at("measured");
  return judged;
}

// Into ledger and results, branch and file; where that fails before it is decided, the step is
// undone.
void record_and_apply(const Workspace& workspace, RunRecord& record, const Candidate& candidate,
                      const trial::Result& result, ledger::Experiment& experiment) {
  const repo::Repository& repository = workspace.repository();
  const Folders& folders = workspace.folders();
  try {
    experiment.result = trial::record(candidate.request, result, experiment.log);
    record.apply(recording_of(experiment, candidate.trying, EditableSet(record.status().run),
                              repository, folders));
  } catch (const Error&) {
    if (is_undecided(folders)) {
      undo_step(repository, folders, reference_of(experiment.tag, experiment.number));
      workspace.say(fmt::format("experiment {} could not be recorded: the edit stays in {}",
                                experiment.number, candidate.trying.editable));
    }
    throw;
  }
}

}  // namespace

void Loop::anticipate() { const Anticipation ahead(*workspace_, *measurer_, record_->status()); }

Step Loop::step(const StepOptions& options) {
  const auto begun = Clock::now();
  std::vector<trial::Span> timings;
  double done = 0;
  const auto note = [&](const char* what) {
    const double now = std::chrono::duration<double>(Clock::now() - begun).count();
    timings.push_back(
        {.what = what, .begin_seconds = std::exchange(done, now), .end_seconds = now});
  };
  const std::string idea = required_idea(options.idea);
  Status& status = require_ready(*workspace_, *record_, *measurer_, options);
  note("look at the repository and the record");
  const Candidate candidate = commit_candidate(workspace_->repository(), workspace_->repository(),
                                               *measurer_, status, idea, options);
  note("commit the edit");
  const double trial_began = done;
  Judged judged = measure(*workspace_, *record_, *measurer_, candidate);
  trial::Result& result = judged.result;
  note("the trial");
  for (const trial::Span& span : result.timings) {
    timings.push_back({.what = "  " + span.what,
                       .begin_seconds = trial_began + span.begin_seconds,
                       .end_seconds = trial_began + span.end_seconds});
  }
  ledger::Experiment experiment = experiment_of(candidate, judged);
  experiment.webhook =
      measurer_->webhook(experiment.status == ledger::Status::keep ? Told::kept : Told::nothing);
  experiment.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  record_and_apply(*workspace_, *record_, candidate, result, experiment);
  note("record it");

  const std::optional<double> time_us = time_on_scale(status, experiment);
  add_to(status, ledger::Experiment(experiment));
  return Step{.experiment = std::move(experiment),
              .result = std::move(result),
              .run = status.run,
              .time_us = time_us,
              .next = status.next(),
              .timings = std::move(timings)};
}

}  // namespace autokernel::loop
