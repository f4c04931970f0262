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
#include "autokernel/ledger/results_table.h"
#include "autokernel/ledger/time_scale.h"
#include "autokernel/trial/command.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/verdicts.h"
#include "loop/anticipation.h"
#include "loop/editable_set.h"
#include "loop/experiment_fields.h"
#include "loop/git_rules.h"
#include "loop/goal_trials.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/scope.h"
#include "loop/seal.h"
#include "loop/tampering.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

using Clock = std::chrono::steady_clock;

// What is tried, committed to no branch, and the request of its trial.
struct Candidate {
  Trying trying;
  trial::Request request;
  cases::CaseFiles files;      // of the run's case
  std::string simpler_reason;  // to keep it even where it is only as fast; empty: there is none
};

// Clearly less code: a tenth fewer words and signs. A blank or a comment makes no difference.
constexpr double kSimplerShare = 0.9;

[[nodiscard]] bool is_simpler(std::size_t tokens, std::size_t than) {
  return static_cast<double>(tokens) <= kSimplerShare * static_cast<double>(than);
}

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

// The branch must be where the last experiment left it: a commit of anybody else's has no
// experiment, and nothing is compared with it.
void require_own_head(const repo::Repository& repository, const Status& status) {
  const repo::Head head = repository.head();
  if (head.commit == status.best.commit) return;
  throw Error(
      Stop::repository,
      fmt::format("{} is at {}, not at {}, the best so far: something else moved it. 'git reset "
                  "--soft {}' moves it back and leaves every file as it is",
                  head.branch, short_id(head.commit), name_of(status.best), status.best.commit));
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

void require_new_source(const Status& status, const std::string& digest, bool again) {
  if (digest == status.best.source_digest) {
    throw Error(
        Stop::usage,
        fmt::format("{} {} the same as in {}, except for comments and white space: edit {} first",
                    EditableSet(status.run).names(),
                    status.run.editable_files.empty() ? "is" : "are", name_of(status.best),
                    status.run.editable_files.empty() ? "it" : "them"));
  }
  if (again) return;
  const auto earlier = std::ranges::find_if(
      status.experiments.rbegin(), status.experiments.rend(), [&](const auto& experiment) {
        return experiment.source_digest == digest && experiment.verdict != "interrupted";
      });
  if (earlier == status.experiments.rend()) return;
  throw Error(Stop::usage,
              fmt::format("this source was tried before: {}, \"{}\": {}{}{}; --again tries it once "
                          "more",
                          name_of(*earlier), earlier->description, earlier->verdict,
                          earlier->reason.empty() ? "" : ", ", earlier->reason));
}

[[nodiscard]] std::string message_of(int number, const std::string& tag, const std::string& idea) {
  return fmt::format("{}\n\nExperiment {} of the autokernel run {}.\n", idea, number, tag);
}

// What the verdict of a trial means for the experiment.
void decide(ledger::Experiment& experiment, const trial::Result& result, bool kept_as_simpler,
            const std::string& simpler_reason) {
  experiment.verdict = trial::finding(result).in_loop;
  if (result.verdict != trial::Verdict::correct) {
    experiment.status = ledger::Status::crash;
    experiment.reason = result.reason;
    return;
  }
  if (!result.comparison) {
    throw Error(Stop::internal, "the runner did not compare the kernel");
  }
  const trial::PairedComparison& comparison = *result.comparison;
  experiment.reason = comparison.reason;
  experiment.status = ledger::Status::discard;
  if (comparison.outcome == trial::Outcome::faster) {
    experiment.status = ledger::Status::keep;
  } else if (kept_as_simpler) {
    experiment.status = ledger::Status::keep;
    experiment.verdict = trial::finding(trial::Outcome::faster).in_loop;
    experiment.reason += simpler_reason;
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
  require_own_head(workspace.repository(), status);
  measurer.hidden_sizes().require(status.run.hidden_sizes);
  if (!options.over_budget) require_budget(status);
  require_same_rules(workspace.repository(), status.run);
  require_nothing_strayed(status);
  require_untampered(workspace, record, measurer.harness(), Extent::end);
  require_edit(workspace, status);
  return status;
}

// The next experiment of the run, with all that is known of it before its commit.
[[nodiscard]] Trying next_experiment(const Status& status, const std::string& idea) {
  const ledger::RunStarted& run = status.run;
  Trying trying{
      .branch = run.branch, .editable = run.editable, .editable_files = {}, .experiment = {}};
  ledger::Experiment& experiment = trying.experiment;
  experiment.at = now_utc();
  experiment.tag = run.tag;
  experiment.number = status.experiments.back().number + 1;
  experiment.description = idea;
  experiment.incumbent = status.best.commit;
  experiment.log = Folders::log(run.tag, experiment.number);
  return trying;
}

// The edit as a commit, which no reference names yet; throws where that is nothing new to try.
[[nodiscard]] Candidate commit_candidate(const repo::Repository& repository,
                                         const Measurer& measurer, const Status& status,
                                         const std::string& idea, const StepOptions& options) {
  const ledger::RunStarted& run = status.run;
  cases::CaseFiles files = unchanged_case(repository, run);
  Candidate candidate{
      .trying = next_experiment(status, idea), .request = {}, .files = files, .simpler_reason = {}};
  ledger::Experiment& experiment = candidate.trying.experiment;
  // The bytes that are judged are those that git keeps, and those that a checkout of them writes:
  // of a file that a program filters, not even a commit is to be made.
  const EditableSet editable(run);
  const std::vector<std::string> paths = editable.anywhere(repository, {status.best.commit});
  candidate.trying.editable_files.assign(paths.begin() + 1, paths.end());
  require_faithful_checkout(repository, status.best.commit, editable);
  try {
    experiment.commit = repository.commit_files(status.best.commit, paths,
                                                message_of(experiment.number, run.tag, idea));
  } catch (const Error& error) {
    // Files and folders can stand in each other's way in more ways than one.
    if (run.editable_files.empty() || error.stop() != Stop::repository) throw;
    throw Error(Stop::usage, fmt::format("{}; nothing was done: change the edit", error.what()));
  }
  require_faithful_checkout(repository, experiment.commit, editable);
  trial::Request& request = candidate.request;
  request = measurer.request(run, std::move(files), experiment.commit);
  const cases::KernelSource source{request.source, request.files};
  const Written written = trial::is_of_command(request) ? Written::anyhow : Written::in_cuda;
  experiment.source_digest = digest_of(source, written);
  require_new_source(status, experiment.source_digest, options.again);
  trial::Incumbent incumbent = measurer.best_as_incumbent(status);
  const std::size_t tokens = count_tokens(source, written);
  const std::size_t before = count_tokens({incumbent.source, incumbent.files}, written);
  if (options.simpler && is_simpler(tokens, before)) {
    candidate.simpler_reason =
        fmt::format("; kept as the simpler one: {} tokens instead of {}", tokens, before);
    incumbent.as_fast_will_do = true;
  }
  request.incumbent = std::move(incumbent);
  request.longer = options.longer;
  return candidate;
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
    repository.set_reference(reference, experiment.commit);
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

// The experiment with what its trial says of it.
[[nodiscard]] ledger::Experiment experiment_of(const Candidate& candidate, const Judged& judged) {
  const trial::Result& result = judged.result;
  ledger::Experiment experiment = candidate.trying.experiment;
  const bool simpler =
      !candidate.simpler_reason.empty() && result.comparison && result.comparison->as_fast;
  decide(experiment, result, simpler, candidate.simpler_reason);
  fill_in(experiment, result, judged.sizes);
  return experiment;
}

// What has to be done now: the kept one moves the branch, any other file is put back.
[[nodiscard]] Recording recording_of(const ledger::Experiment& experiment, const Trying& trying,
                                     const EditableSet& editable,
                                     const repo::Repository& repository, const Folders& folders) {
  const bool kept = experiment.status == ledger::Status::keep;
  Recording recording;
  recording.what = fmt::format("experiment {}", experiment.number);
  recording.branch = trying.branch;
  recording.editable = trying.editable;
  // With those that somebody has made meanwhile.
  const std::vector<std::string> paths =
      editable.anywhere(repository, {experiment.commit, experiment.incumbent});
  recording.editable_files.assign(paths.begin() + 1, paths.end());
  recording.references = {{reference_of(experiment.tag, experiment.number), experiment.commit}};
  add_entries(recording, repository, folders, experiment.tag, {experiment});
  recording.results = ledger::results_append(folders.results(), {ledger::results_row(experiment)});
  if (kept) {
    recording.from = experiment.incumbent;
    recording.to = experiment.commit;
  }
  recording.file_from = kept ? experiment.commit : experiment.incumbent;
  return recording;
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

// Its time on the scale of the run, on which `before` has the incumbent's.
[[nodiscard]] std::optional<double> time_on_scale(const Status& before,
                                                  const ledger::Experiment& experiment) {
  const std::optional<double> incumbent_us = before.best_us();
  if (!incumbent_us || !experiment.gain) return std::nullopt;
  return ledger::after_gain(experiment, *incumbent_us, experiment.gain->estimate);
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
  const Candidate candidate =
      commit_candidate(workspace_->repository(), *measurer_, status, idea, options);
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
