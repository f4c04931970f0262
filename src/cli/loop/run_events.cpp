#include "cli/loop/run_events.h"

#include <fmt/format.h>

#include "autokernel/ledger/figure_text.h"

namespace autokernel::cli {
namespace {

// How many times as fast, or as good, as the baseline the best is, by the gains that were kept.
[[nodiscard]] std::optional<double> times_over_baseline(const loop::Status& status) {
  const auto gain = status.gain_over_baseline();
  if (!gain || *gain >= 1) return {};
  return 1 / (1 - *gain);
}

// The figure of a run on its scale: a time, or the value of its metric.
void set_figure(notify::Event& event, const std::optional<double>& figure) {
  (event.metric ? event.metric->value : event.time_us) = figure;
}

[[nodiscard]] notify::Event event_of_run(notify::EventKind kind, const loop::Status& status) {
  notify::Event event;
  event.kind = kind;
  event.run = status.run.tag;
  if (const auto& metric = status.baseline.metric) {
    event.metric = {
        .name = metric->name,
        .unit = metric->unit,
        .value = {},
        .baseline = metric->value,
        .better = metric->higher_is_better ? notify::Better::higher : notify::Better::lower};
  }
  set_figure(event, status.best_us());
  event.over_baseline = times_over_baseline(status);
  event.emulated = status.is_emulated();
  return event;
}

// So that who reads the record later finds what became of the message.
[[nodiscard]] notify::ToldOf told_of(ledger::ToldRecord record, const std::string& at,
                                     const std::string& tag, const std::filesystem::path& root) {
  return {.record = record, .at = at, .root = root, .file = loop::Loop::webhooks_file(tag)};
}

}  // namespace

notify::Event kept_event(const loop::Step& step, const loop::Status& status,
                         const std::filesystem::path& root) {
  notify::Event event = event_of_run(notify::EventKind::kept, status);
  event.problem = step.result.problem;
  event.experiment = step.experiment.number;
  event.description = step.experiment.description;
  set_figure(event, step.time_us);
  if (const auto& gain = step.experiment.gain) {
    const bool rises = event.metric && event.metric->better == notify::Better::higher;
    event.gain_pct = 100 * (rises ? ledger::change_by(gain->estimate, rises) : gain->estimate);
  }
  event.told_of =
      told_of(ledger::ToldRecord::experiment, step.experiment.at, step.experiment.tag, root);
  return event;
}

notify::Event plateau_event(const loop::Status& status) {
  notify::Event event = event_of_run(notify::EventKind::plateau, status);
  event.reason = fmt::format("{} experiments in a row without a gain", status.streak);
  return event;
}

notify::Event failure_event(const loop::Status& status, const std::string& why) {
  notify::Event event = event_of_run(notify::EventKind::failure, status);
  event.reason = why;
  return event;
}

notify::Event finish_event(const loop::Finish& finish, const std::filesystem::path& plot,
                           const std::filesystem::path& root) {
  notify::Event event = event_of_run(notify::EventKind::finish, finish.status);
  event.problem = finish.problem;
  const ledger::RunFinished& headline = finish.headline;
  set_figure(event, headline.best_us);
  if (event.metric && headline.best_metric) event.metric->value = headline.best_metric->value;
  if (event.metric && headline.baseline_metric) {
    event.metric->baseline = headline.baseline_metric->value;
  }
  event.over_baseline.reset();
  if (headline.over_baseline) event.over_baseline = headline.over_baseline->ratio;
  event.plot = plot;
  event.told_of = told_of(ledger::ToldRecord::run_finished, headline.at, headline.tag, root);
  return event;
}

}  // namespace autokernel::cli
