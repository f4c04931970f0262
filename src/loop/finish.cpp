#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/ledger/figure_text.h"
#include "autokernel/ledger/time_scale.h"
#include "loop/git_rules.h"
#include "loop/goal_trials.h"
#include "loop/headline.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/parallel/agent_worktree.h"
#include "loop/run_checks.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/scope.h"
#include "loop/seal.h"
#include "loop/tampering.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

// The figure in a kept commit's message: on the scale of the run, or, as earlier builds wrote it,
// that called a time where it is a metric, or the median of that step's own process, which does not
// go with the gain beside it.
enum class Figures : std::uint8_t { on_scale, all_times, medians };

[[nodiscard]] std::string gain_in_message(const ledger::Gain& gain,
                                          const std::optional<ledger::MetricValue>& metric) {
  const std::string text = ", " + ledger::gain_text(gain.estimate, metric);
  if (!metric) {
    return text + fmt::format(" (95 %: {:.2f} to {:.2f} %, {} pairs)", 100 * gain.low,
                              100 * gain.high, gain.pairs);
  }
  const bool rises = metric->higher_is_better;
  return text + fmt::format(" (95 %: {} to {}, {} pairs of runs)",
                            ledger::change_text(ledger::change_by(gain.low, rises)),
                            ledger::change_text(ledger::change_by(gain.high, rises)), gain.pairs);
}

[[nodiscard]] std::string message_of(const ledger::Experiment& experiment, Figures figures,
                                     std::optional<double> on_scale) {
  const auto figure = figures == Figures::medians ? experiment.median_us : on_scale;
  const auto metric = figures == Figures::on_scale ? experiment.metric : std::nullopt;
  std::string text = experiment.description + "\n\n";
  if (figure) text += ledger::figure_text(*figure, metric);
  if (experiment.gain) {
    text += gain_in_message(*experiment.gain, metric);
    if (metric) {
      text +=
          "\n\nThe change was measured in pairs of runs with the incumbent; the value is that of "
          "the\nbaseline with the changes up to here, as in 'autokernel log'.";
    } else if (figures != Figures::medians) {
      text +=
          "\n\nThe gain was measured in pairs with the incumbent; the time is the median of "
          "the\nbaseline less the gains up to here, as in 'autokernel log'.";
    }
  }
  return text + fmt::format("\n\nExperiment {} of the autokernel run {}.\n", experiment.number,
                            experiment.tag);
}

// The kept commits alone, each with its gain in its message, the base before them. The same ones
// each time.
[[nodiscard]] std::vector<std::string> rebuild(const repo::Repository& repository,
                                               const Status& status, Figures figures) {
  std::vector<std::string> commits = {status.run.base};
  ledger::TimeScale scale;
  for (const ledger::Experiment& experiment : status.experiments) {
    const std::optional<double> on_scale = scale.add(experiment);
    if (experiment.number == 0 || experiment.status != ledger::Status::keep) continue;
    commits.push_back(repository.commit_again(experiment.commit, commits.back(),
                                              message_of(experiment, figures, on_scale)));
  }
  return commits;
}

// A branch of that name that no earlier finish made is the user's work.
void require_ours(const repo::Repository& repository, const Status& status,
                  const std::string& branch, const std::vector<std::string>& commits) {
  const auto stands_at = repository.reference("refs/heads/" + branch);
  const auto is_among = [&](const std::vector<std::string>& made) {
    return std::ranges::find(made, *stands_at) != made.end();
  };
  if (!stands_at || is_among(commits) ||
      is_among(rebuild(repository, status, Figures::all_times)) ||
      is_among(rebuild(repository, status, Figures::medians))) {
    return;
  }
  throw Error(Stop::repository,
              fmt::format("the branch {0} holds commits that are not this run's, and the kept ones "
                          "are to go there: rename it, 'git branch -m {0} NAME'",
                          branch));
}

}  // namespace

Finish Loop::finish(int processes) {
  const repo::Repository& repository = workspace_->repository();
  record_->repair();
  workspace_->require_quiet_head();
  const Status& status = record_->look().status;
  const ledger::RunStarted& run = status.run;
  require_known_device(run);
  if (measurer_->hidden_sizes().are_given() && !run.hidden_sizes.empty()) {
    measurer_->hidden_sizes().require(run.hidden_sizes);
  }
  require_same_rules(repository, run);
  require_nothing_strayed(status);
  require_untampered(*workspace_, *record_, measurer_->harness(), Extent::whole);

  Finish finish{.headline = {}, .device = {}, .problem = {}, .library = {}, .status = status};
  ledger::RunFinished& headline = finish.headline;
  headline.at = now_utc();
  headline.tag = run.tag;
  headline.best = status.best.commit;
  headline.processes = processes;

  // From what git holds, and never from what a file or the ledger says.
  const cases::CaseFiles files = unchanged_case(repository, run);
  const GoalTrials trials(*measurer_, run, files);
  const trial::Request request = measurer_->request_of_best(status, files);
  const bool any_kept = status.counts.kept > 0;
  const std::vector<std::string> kept = rebuild(repository, status, Figures::on_scale);
  if (const auto faults = checkout_faults(repository, status, kept); !faults.empty()) {
    throw Error(Stop::scope, faults.front() + "; nothing was done");
  }
  if (any_kept) {
    headline.branch = run.branch + "-kept";
    require_ours(repository, status, headline.branch, kept);
  }
  const std::vector<ResultsAtSize> results =
      trials.measure_again(request, processes, name_of(status.best));
  if (const trial::Result& last = results.back().results.back();
      last.verdict != trial::Verdict::correct) {
    throw Error(Stop::environment,
                fmt::format("cannot confirm {}: measured again it is {}: {}", name_of(status.best),
                            trial::spelling(last.verdict), last.reason));
  }
  if (const std::string fault = guard_fault(results); !fault.empty())
    throw Error(Stop::environment,
                fmt::format("cannot confirm {}: {}", name_of(status.best), fault));
  const GoalTrials::Unseen unseen = trials.try_hidden_sizes(request);
  if (unseen.verdict != trial::Verdict::correct) {
    throw Error(Stop::environment,
                fmt::format("cannot confirm {}: at a hidden size it is {}", name_of(status.best),
                            trial::spelling(unseen.verdict)));
  }
  finish.hidden_sizes = unseen.sizes;
  summarise(results, headline);
  const trial::Result& first = results.front().results.front();
  finish.device = first.device.value_or(trial::DeviceReport{});
  finish.problem = first.problem;
  finish.library = library_of(first);
  Recording recording;
  recording.what = "the end of run " + run.tag;
  recording.branch = run.branch;
  recording.editable = run.editable;
  if (any_kept) recording.references = {{"refs/heads/" + headline.branch, kept.back()}};
  headline.webhook = measurer_->webhook(Told::finish);
  add_entries(recording, repository, workspace_->folders(), run.tag, {headline});
  record_->apply(recording);
  remove_agent_worktrees(*workspace_, EditableSet(run));
  return finish;
}

}  // namespace autokernel::loop
