#include "cli/loop/run_events.h"

#include <fmt/format.h>

namespace autokernel::cli {
namespace {

// How many times as fast as the baseline the best is, by the gains that were kept.
[[nodiscard]] std::optional<double> times_over_baseline(const loop::Status& status) {
  const auto gain = status.gain_over_baseline();
  if (!gain || *gain >= 1) return {};
  return 1 / (1 - *gain);
}

[[nodiscard]] notify::Event event_of_run(notify::EventKind kind, const loop::Status& status) {
  notify::Event event;
  event.kind = kind;
  event.run = status.run.tag;
  event.time_us = status.best_us();
  event.over_baseline = times_over_baseline(status);
  event.emulated = status.is_emulated();
  return event;
}

}  // namespace

notify::Event kept_event(const loop::Step& step, const loop::Status& status) {
  notify::Event event = event_of_run(notify::EventKind::kept, status);
  event.problem = step.result.problem;
  event.experiment = step.experiment.number;
  event.description = step.experiment.description;
  event.time_us = step.time_us;
  if (step.experiment.gain) event.gain_pct = 100 * step.experiment.gain->estimate;
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

notify::Event finish_event(const loop::Finish& finish, const std::filesystem::path& plot) {
  notify::Event event = event_of_run(notify::EventKind::finish, finish.status);
  event.problem = finish.problem;
  event.time_us = finish.headline.best_us;
  event.over_baseline.reset();
  if (finish.headline.over_baseline) event.over_baseline = finish.headline.over_baseline->ratio;
  event.plot = plot;
  return event;
}

}  // namespace autokernel::cli
