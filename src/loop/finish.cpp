#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "autokernel/base/error.h"
#include "loop/headline.h"
#include "loop/parts.h"
#include "loop/scope.h"

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

// The kept commits alone, each with its gain in its message.
[[nodiscard]] std::string rebuild(const repo::Repository& repository, const Status& status) {
  std::string tip = status.run.base;
  for (const ledger::Experiment& experiment : status.experiments) {
    if (experiment.number == 0 || experiment.status != ledger::Status::keep) continue;
    tip = repository.commit_again(experiment.commit, tip, message_of(experiment));
  }
  return tip;
}

}  // namespace

Finish Loop::finish(int processes) {
  Parts& parts = *parts_;
  const repo::Repository& repository = parts.repository;
  parts.require_quiet_head();
  const Status& status = parts.run();
  const ledger::RunStarted& run = status.run;
  require_nothing_strayed(repository, run);

  Finish finish{.headline = {}, .device = {}, .problem = {}, .status = status};
  ledger::RunFinished& headline = finish.headline;
  headline.at = now_utc();
  headline.tag = run.tag;
  headline.best = status.best.commit;
  headline.processes = processes;

  // From what git holds, and never from what a file or the ledger says.
  trial::Request request = parts.request(run);
  request.source = parts.source_at(status.best.commit, run.editable);
  const bool any_kept = status.counts.kept > 0;
  if (any_kept) {
    request.against = {.name = name_of(status.baseline),
                       .source = parts.source_at(status.baseline.commit, run.editable),
                       .min_gain = run.min_gain};
  }
  std::vector<trial::Result> results;
  for (int i = 1; i <= processes; ++i) {
    parts.say(fmt::format("measuring {} of {}: {}", i, processes, name_of(status.best)));
    results.push_back(trial::supervise(request, parts.surroundings.limits,
                                       parts.surroundings.observer, parts.surroundings.runner));
    const trial::Result& result = results.back();
    if (result.verdict == trial::Verdict::correct) continue;
    throw Error(Stop::environment,
                fmt::format("cannot confirm {}: measured again it is {}: {}", name_of(status.best),
                            trial::spelling(result.verdict), result.reason));
  }
  summarise(results, headline);
  finish.device = results.front().device.value_or(trial::DeviceReport{});
  finish.problem = results.front().problem;
  if (any_kept) {
    headline.branch = run.branch + "-kept";
    const std::string name = "refs/heads/" + headline.branch;
    repository.set_reference(name, rebuild(repository, status));
  }
  ledger::Ledger::open(parts.folders.own()).append(ledger::lines_of({headline}));
  return finish;
}

}  // namespace autokernel::loop
