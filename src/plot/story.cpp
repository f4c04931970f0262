#include "plot/story.h"

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
        if (experiment.median_us.value_or(0) <= 0) break;
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
  return history.experiments[experiment].median_us.value_or(0);
}

std::string time_text(double microseconds) {
  constexpr double kMillisecond = 1e3;
  constexpr double kSecond = 1e6;
  if (microseconds >= kSecond) return digits(microseconds / kSecond) + " s";
  if (microseconds >= 10 * kMillisecond) return digits(microseconds / kMillisecond) + " ms";
  return digits(microseconds) + " us";
}

std::string title(const History& history) {
  const std::string what = history.problem.empty() ? "Kernel experiments" : history.problem;
  return history.device.empty() ? what : what + " on " + history.device;
}

std::string headline(const History& history, const Story& story) {
  if (!story.baseline || !story.best) return "no kernel has been kept yet";
  const double first = time_of(history, *story.baseline);
  const double best = time_of(history, *story.best);
  if (story.baseline == story.best) return "baseline " + time_text(first) + ", nothing faster yet";
  std::string text = time_text(first) + " to " + time_text(best);
  if (best <= first) text += fmt::format(", {:.2f} times as fast", first / best);
  return text;
}

std::string footer(const History& history, const Story& story) {
  const std::size_t baselines = story.baseline ? 1 : 0;
  const std::size_t count = history.experiments.size() - baselines;
  std::string text = fmt::format(
      "{}{} experiment{}: {} kept, {} discarded, {} failed", baselines == 0 ? "" : "baseline and ",
      count, count == 1 ? "" : "s", story.kept - baselines, story.discarded, story.failed);
  if (!history.run.empty()) text += " (run " + history.run + ")";
  return text;
}

}  // namespace autokernel::plot
