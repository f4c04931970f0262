#include "loop/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/ledger/results_table.h"
#include "autokernel/ledger/time_scale.h"
#include "autokernel/trial/command.h"
#include "autokernel/trial/verdicts.h"
#include "loop/experiment_fields.h"
#include "loop/git_rules.h"
#include "loop/names.h"
#include "loop/run_clock.h"
#include "loop/scope.h"
#include "loop/seal.h"

namespace autokernel::loop {
namespace {

// Clearly less code: a tenth fewer words and signs. A blank or a comment makes no difference.
constexpr double kSimplerShare = 0.9;

[[nodiscard]] bool is_simpler(std::size_t tokens, std::size_t than) {
  return static_cast<double>(tokens) <= kSimplerShare * static_cast<double>(than);
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
  const ledger::Experiment* earlier = earlier_with(status, digest);
  if (earlier == nullptr) return;
  throw TriedBefore(fmt::format("this source was tried before: {}, \"{}\": {}{}{}",
                                name_of(*earlier), earlier->description, earlier->verdict,
                                earlier->reason.empty() ? "" : ", ", earlier->reason));
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

}  // namespace

const ledger::Experiment* earlier_with(const Status& status, const std::string& source_digest) {
  const auto earlier = std::ranges::find_if(
      status.experiments.rbegin(), status.experiments.rend(), [&](const auto& experiment) {
        return experiment.source_digest == source_digest && experiment.verdict != "interrupted";
      });
  return earlier == status.experiments.rend() ? nullptr : &*earlier;
}

std::string message_of(int number, const std::string& tag, const std::string& idea) {
  return fmt::format("{}\n\nExperiment {} of the autokernel run {}.\n", idea, number, tag);
}

Candidate commit_candidate(const repo::Repository& edited, const repo::Repository& repository,
                           const Measurer& measurer, const Status& status, const std::string& idea,
                           const StepOptions& options) {
  const ledger::RunStarted& run = status.run;
  cases::CaseFiles files = unchanged_case(repository, run);
  Candidate candidate{
      .trying = next_experiment(status, idea), .request = {}, .files = files, .simpler_reason = {}};
  ledger::Experiment& experiment = candidate.trying.experiment;
  // The bytes that are judged are those that git keeps, and those that a checkout of them writes:
  // of a file that a program filters, not even a commit is to be made.
  const EditableSet editable(run);
  const std::vector<std::string> paths = editable.anywhere(edited, {status.best.commit});
  candidate.trying.editable_files.assign(paths.begin() + 1, paths.end());
  require_faithful_checkout(repository, status.best.commit, editable);
  try {
    experiment.commit = edited.commit_files(status.best.commit, paths,
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

ledger::Experiment experiment_of(const Candidate& candidate, const Judged& judged) {
  const trial::Result& result = judged.result;
  ledger::Experiment experiment = candidate.trying.experiment;
  const bool simpler =
      !candidate.simpler_reason.empty() && result.comparison && result.comparison->as_fast;
  decide(experiment, result, simpler, candidate.simpler_reason);
  fill_in(experiment, result, judged.sizes);
  return experiment;
}

Recording recording_of(const ledger::Experiment& experiment, const Trying& trying,
                       const EditableSet& editable, const repo::Repository& repository,
                       const Folders& folders) {
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

std::optional<double> time_on_scale(const Status& before, const ledger::Experiment& experiment) {
  const std::optional<double> incumbent_us = before.best_us();
  if (!incumbent_us || !experiment.gain) return std::nullopt;
  return ledger::after_gain(experiment, *incumbent_us, experiment.gain->estimate);
}

}  // namespace autokernel::loop
