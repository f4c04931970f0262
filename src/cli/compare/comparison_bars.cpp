#include "cli/compare/comparison_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace autokernel::cli {
namespace {

// Below so many operations a byte every GPU since Volta is bound by its memory, and without tensor
// cores, too: 15.7 TFLOP/s in fp32 over 0.9 TB/s of a V100 are 17 (its data sheet).
constexpr double kRidge = 10;

// "tries/other.cu" is other.cu, and "cuBLASLt 13.1.0 (...)" without its version.
[[nodiscard]] std::string short_label(const Series& series) {
  if (series.kind == OpponentKind::library) {
    std::string label = series.label.substr(0, series.label.find(' '));
    if (!series.configuration.empty())
      label += ", " + series.configuration.substr(0, series.configuration.find(','));
    return label;
  }
  const std::string name = std::filesystem::path(series.label).filename().string();
  const std::string label = name.empty() ? series.label : name;
  return series.kind == OpponentKind::ours ? label + " (ours)" : label;
}

[[nodiscard]] std::string full_label(const Series& series) {
  if (series.kind == OpponentKind::ours) return series.label + " (ours)";
  return series.configuration.empty() || series.kind == OpponentKind::kernel
             ? series.label
             : series.label + ", " + series.configuration;
}

// One for each, no two of them alike: a reader tells series by them, and the picture colours.
[[nodiscard]] std::vector<std::string> labels_of(const std::vector<Series>& all) {
  std::map<std::string, int> uses;
  for (const Series& series : all) ++uses[short_label(series)];
  std::vector<std::string> labels;
  for (const Series& series : all) {
    std::string label = short_label(series);
    if (uses[label] > 1) label = full_label(series);
    std::string unique = label;
    for (int i = 2; std::ranges::find(labels, unique) != labels.end(); ++i)
      unique = fmt::format("{} ({})", label, i);
    labels.push_back(std::move(unique));
  }
  return labels;
}

}  // namespace

std::optional<plot::Bars> bars_of(const std::string& title,
                                  const std::vector<Comparison>& comparisons) {
  const bool by_bytes = std::ranges::all_of(comparisons, [](const Comparison& comparison) {
    return comparison.flops < kRidge * comparison.bytes;
  });
  int rounds = 0;
  plot::Bars bars{.title = title,
                  .headline = {},
                  .unit = by_bytes ? "GB/s (more is better)" : "TFLOP/s (more is better)",
                  .groups = {}};
  bool is_whole = true;
  for (const Comparison& comparison : comparisons) {
    rounds = std::max(rounds, comparison.rounds);
    plot::BarGroup group{.name = comparison.size, .bars = {}};
    const std::vector<std::string> labels = labels_of(comparison.series);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto time = time_of(comparison.series[i]);
      if (!time && i == 0) break;
      if (!time) {
        is_whole = false;
        continue;
      }
      const double work = by_bytes ? comparison.bytes / 1e3 : comparison.flops / 1e6;
      group.bars.push_back({.label = labels[i],
                            .value = work / time->value,
                            .low = work / time->high,
                            .high = work / time->low});
    }
    if (!group.bars.empty()) bars.groups.push_back(std::move(group));
  }
  if (bars.groups.empty()) return std::nullopt;
  const std::string problem = comparisons.size() == 1 ? comparisons.front().problem
                                                      : fmt::format("{} sizes", bars.groups.size());
  bars.headline = fmt::format("{}; {} rounds{}", problem, rounds,
                              is_whole ? "" : "; what has no time has no bar");
  plot::write_in_small_unit(bars);
  return bars;
}

}  // namespace autokernel::cli
