#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "autokernel/base/error.h"
#include "loop/git_rules.h"
#include "loop/headline.h"
#include "loop/parts.h"
#include "loop/scope.h"
#include "loop/seal.h"

namespace autokernel::loop {
namespace {

[[nodiscard]] std::string message_of(const ledger::Experiment& experiment) {
  std::string text = experiment.description + "\n\n";
  if (experiment.median_us) text += fmt::format("{:.3f} us", *experiment.median_us);
  if (experiment.gain) {
    text += fmt::format(", {:.2f} % less time than before (95 %: {:.2f} to {:.2f} %, {} pairs)",
                        100 * experiment.gain->estimate, 100 * experiment.gain->low,
                        100 * experiment.gain->high, experiment.gain->pairs);
  }
  return text + fmt::format("\n\nExperiment {} of the autokernel run {}.\n", experiment.number,
                            experiment.tag);
}

// The kept commits alone, each with its gain in its message, the base before them. The same ones
// each time.
[[nodiscard]] std::vector<std::string> rebuild(const repo::Repository& repository,
                                               const Status& status) {
  std::vector<std::string> commits = {status.run.base};
  for (const ledger::Experiment& experiment : status.experiments) {
    if (experiment.number == 0 || experiment.status != ledger::Status::keep) continue;
    commits.push_back(
        repository.commit_again(experiment.commit, commits.back(), message_of(experiment)));
  }
  return commits;
}

// A branch of that name that an earlier finish has not made is somebody's work.
void require_ours(const repo::Repository& repository, const std::string& branch,
                  const std::vector<std::string>& commits) {
  const auto stands_at = repository.reference("refs/heads/" + branch);
  if (!stands_at || std::ranges::find(commits, *stands_at) != commits.end()) return;
  throw Error(Stop::repository,
              fmt::format("the branch {0} holds commits that are not this run's, and the kept ones "
                          "are to go there: rename it, 'git branch -m {0} NAME'",
                          branch));
}

}  // namespace

Finish Loop::finish(int processes) {
  Parts& parts = *parts_;
  const repo::Repository& repository = parts.repository;
  parts.mend();
  parts.require_quiet_head();
  const Account& account = parts.look();
  const Status& status = account.status;
  const ledger::RunStarted& run = status.run;
  require_same_rules(repository, run);
  require_nothing_strayed(status);
  parts.require_untampered(account, Extent::whole);

  Finish finish{.headline = {}, .device = {}, .problem = {}, .library = {}, .status = status};
  ledger::RunFinished& headline = finish.headline;
  headline.at = now_utc();
  headline.tag = run.tag;
  headline.best = status.best.commit;
  headline.processes = processes;

  // From what git holds, and never from what a file or the ledger says.
  trial::Request request = parts.request(run, unchanged_case(repository, run));
  request.source = parts.source_at(status.best.commit, run.editable);
  const bool any_kept = status.counts.kept > 0;
  const std::vector<std::string> kept = rebuild(repository, status);
  if (const auto faults = checkout_faults(repository, status, kept); !faults.empty()) {
    throw Error(Stop::scope, faults.front() + "; nothing was done");
  }
  if (any_kept) {
    headline.branch = run.branch + "-kept";
    require_ours(repository, headline.branch, kept);
    request.against = {.name = name_of(status.baseline),
                       .source = parts.source_at(status.baseline.commit, run.editable),
                       .min_gain = run.min_gain};
  }
  const std::vector<trial::Result> results =
      parts.measure_again(request, processes, name_of(status.best));
  if (const trial::Result& last = results.back(); last.verdict != trial::Verdict::correct) {
    throw Error(Stop::environment,
                fmt::format("cannot confirm {}: measured again it is {}: {}", name_of(status.best),
                            trial::spelling(last.verdict), last.reason));
  }
  summarise(results, headline);
  finish.device = results.front().device.value_or(trial::DeviceReport{});
  finish.problem = results.front().problem;
  finish.library = library_of(results.front());
  Recording recording;
  recording.what = "the end of run " + run.tag;
  recording.branch = run.branch;
  recording.editable = run.editable;
  if (any_kept) recording.references = {{"refs/heads/" + headline.branch, kept.back()}};
  add_entries(recording, repository, parts.folders, run.tag, {headline});
  parts.carry_out(recording);
  return finish;
}

}  // namespace autokernel::loop
