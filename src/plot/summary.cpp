#include "plot/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace autokernel::plot {
namespace {

// Four digits tell a percent from nothing, and are read at a glance.
constexpr int kDigits = 4;

[[nodiscard]] std::string digits(double value) {
  const int before = value > 0 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
  return fmt::format("{:.{}f}", value, std::max(0, kDigits - std::max(before, 1)));
}

}  // namespace

Story story_of(const History& history) {
  Story story;
  for (std::size_t i = 0; i < history.experiments.size(); ++i) {
    const Experiment& experiment = history.experiments[i];
    switch (experiment.fate) {
      case Fate::kept:
        ++story.kept;
        if (experiment.time_us.value_or(0) <= 0) break;
        if (!story.baseline) story.baseline = i;
        story.best = i;
        break;
      case Fate::discarded:
        ++story.discarded;
        break;
      case Fate::failed:
        ++story.failed;
        break;
    }
    story.best_after.push_back(story.best);
  }
  return story;
}

double time_of(const History& history, std::size_t experiment) {
  return history.experiments[experiment].time_us.value_or(0);
}

std::optional<double> drawn_us(const History& history, const Story& story, std::size_t experiment) {
  const Experiment& one = history.experiments[experiment];
  if (!one.time_us || *one.time_us <= 0) return std::nullopt;
  const auto& best = story.best_after[experiment];
  const bool may_be_above = history.scale == Scale::medians || one.fate == Fate::kept || !best;
  return may_be_above ? *one.time_us : std::max(*one.time_us, time_of(history, *best));
}

std::string time_text(double microseconds) {
  constexpr double kMillisecond = 1e3;
  constexpr double kSecond = 1e6;
  if (microseconds >= kSecond) return digits(microseconds / kSecond) + " s";
  if (microseconds >= 10 * kMillisecond) return digits(microseconds / kMillisecond) + " ms";
  return digits(microseconds) + " us";
}

std::string figure_text(const History& history, double time_us) {
  if (!history.measure) return time_text(time_us);
  const std::string& unit = history.measure->unit;
  return fmt::format("{:.5g}{}{}", history.measure->value(time_us), unit.empty() ? "" : " ", unit);
}

std::string title(const History& history) {
  const std::string what = history.problem.empty() ? "Kernel experiments" : history.problem;
  return history.device.empty() ? what : what + " on " + history.device;
}

std::string headline(const History& history, const Story& story) {
  const std::optional<Measure>& measure = history.measure;
  if (!story.baseline || !story.best)
    return measure ? "nothing has been kept yet" : "no kernel has been kept yet";
  const char* const good = measure ? "good" : "fast";
  const std::string name = measure ? measure->name + " " : "";
  if (history.confirmed) {
    const Confirmed& confirmed = *history.confirmed;
    return fmt::format(
        "{}{:.2f} times as {} as the baseline, confirmed in {} {} (95 %: {:.2f} to {:.2f})", name,
        confirmed.ratio, good, confirmed.processes, measure ? "comparisons" : "processes",
        confirmed.low, confirmed.high);
  }
  const std::string raw =
      history.scale == Scale::medians ? " (raw medians, each of another process)" : "";
  const double first = time_of(history, *story.baseline);
  const double best = time_of(history, *story.best);
  if (story.baseline == story.best)
    return name + "baseline " + figure_text(history, first) +
           (measure ? ", nothing better yet" : ", nothing faster yet") + raw;
  std::string text = name + figure_text(history, first) + " to " + figure_text(history, best);
  if (best <= first) text += fmt::format(", {:.2f} times as {}", first / best, good);
  return text + raw;
}

std::string footer(const History& history, const Story& story) {
  const std::size_t baselines = story.baseline ? 1 : 0;
  const std::size_t count = history.experiments.size() - baselines;
  std::string text = fmt::format(
      "{}{} experiment{}: {} kept, {} discarded, {} failed", baselines == 0 ? "" : "baseline and ",
      count, count == 1 ? "" : "s", story.kept - baselines, story.discarded, story.failed);
  if (!history.run.empty()) text += " (run " + history.run + ")";
  if (history.scale == Scale::pairs) text += "; gains in pairs, step by step";
  return text;
}

}  // namespace autokernel::plot
