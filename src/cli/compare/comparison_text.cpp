#include "cli/compare/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "autokernel/base/document_json.h"
#include "autokernel/base/sort_stably.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

using document::Json;

[[nodiscard]] std::vector<const Series*> in_order(const Comparison& comparison) {
  std::vector<const Series*> order(comparison.series.size());
  std::ranges::transform(comparison.series, order.begin(), [](const auto& each) { return &each; });
  sort_stably(order, std::ranges::less(), [](const Series* series) {
    const auto time = time_of(*series);
    if (series->kind == OpponentKind::ours) return 0.0;
    return time ? time->value : std::numeric_limits<double>::max();
  });
  return order;
}

[[nodiscard]] std::string interval_text(const Interval& interval) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", interval.value, interval.low, interval.high);
}

// What the ratio says of ours.
[[nodiscard]] const char* conclusion(const Interval& ratio) {
  if (ratio.low > 1) return "ours is faster";
  return ratio.high < 1 ? "ours is slower" : "not told apart";
}

[[nodiscard]] Json json_of(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"value", interval->value}, {"low", interval->low}, {"high", interval->high}};
}

[[nodiscard]] Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

[[nodiscard]] Json json_of(const Series& series, const Comparison& comparison) {
  const auto time = time_of(series);
  Json medians = Json::array();
  for (const auto& median : series.medians_us)
    medians.push_back(median ? Json(*median) : Json(nullptr));
  const bool is_ours = series.kind == OpponentKind::ours;
  return {
      {"label", series.label},
      {"kind", spelling(series.kind)},
      {"version", text_or_null(series.version)},
      {"configuration", text_or_null(series.configuration)},
      {"time_us", json_of(time)},
      {"vs_ours", is_ours ? Json(nullptr) : json_of(ratio_of(series, comparison.series.front()))},
      {"tflops_s", time ? Json(comparison.flops / time->value / 1e6) : Json(nullptr)},
      {"gbytes_s", time ? Json(comparison.bytes / time->value / 1e3) : Json(nullptr)},
      {"medians_us", medians},
      {"unit", text_or_null(series.unit)},
      {"max_abs_err", series.max_abs_err ? Json(*series.max_abs_err) : Json(nullptr)},
      {"refused", text_or_null(series.refused)}};
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  struct Row {
    std::string label, time, ratio, tflops, gbytes, conclusion;
  };
  std::vector<Row> rows = {
      {"kernel", "time_us [95 %]", "time over ours [95 %]", "tflops_s", "gbytes_s", ""}};
  std::string below;
  const Series& ours = comparison.series.front();
  for (const Series* const series : in_order(comparison)) {
    Row row{.label = visible_line(series->label),
            .time = {},
            .ratio = {},
            .tflops = {},
            .gbytes = {},
            .conclusion = {}};
    if (const auto time = time_of(*series)) {
      row.time = interval_text(*time);
      row.tflops = fmt::format("{:.4g}", comparison.flops / time->value / 1e6);
      row.gbytes = fmt::format("{:.4g}", comparison.bytes / time->value / 1e3);
    } else {
      row.conclusion = comparison.interrupted ? "not measured twice: interrupted"
                                              : "not measured: the comparison ended with ours";
    }
    if (const auto ratio = ratio_of(*series, ours); ratio && series != &ours) {
      row.ratio = interval_text(*ratio);
      row.conclusion = conclusion(*ratio);
    }
    if (series == &ours) row.conclusion = "ours";
    if (!series->refused.empty()) row.conclusion = visible_line(series->refused);
    rows.push_back(std::move(row));
    std::string details = visible_line(series->version == series->label ? "" : series->version);
    if (!series->configuration.empty())
      details += (details.empty() ? "" : "; ") + visible_line(series->configuration);
    if (!series->unit.empty()) details += "; computes with " + series->unit;
    if (series->max_abs_err) details += fmt::format("; largest error {:.3g}", *series->max_abs_err);
    if (!details.empty()) below += fmt::format("  {}: {}\n", visible_line(series->label), details);
  }
  std::size_t label = 0;
  std::size_t time = 0;
  std::size_t ratio = 0;
  std::size_t tflops = 0;
  std::size_t gbytes = 0;
  for (const Row& row : rows) {
    label = std::max(label, row.label.size());
    time = std::max(time, row.time.size());
    ratio = std::max(ratio, row.ratio.size());
    tflops = std::max(tflops, row.tflops.size());
    gbytes = std::max(gbytes, row.gbytes.size());
  }
  std::string text = fmt::format("{} (size {})\n", visible_line(comparison.problem),
                                 visible_line(comparison.size));
  for (const Row& row : rows) {
    std::string line =
        fmt::format("{:<{}}  {:>{}}  {:>{}}  {:>{}}  {:>{}}  {}", row.label, label, row.time, time,
                    row.ratio, ratio, row.tflops, tflops, row.gbytes, gbytes, row.conclusion);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  text += below;
  for (const std::string& note : comparison.notes) text += "  note: " + visible_line(note) + '\n';
  return text;
}

std::string comparison_json(const std::vector<Comparison>& comparisons, int rounds) {
  Json sizes = Json::array();
  for (const Comparison& comparison : comparisons) {
    Json compared = Json::array();
    for (const Series* const series : in_order(comparison))
      compared.push_back(json_of(*series, comparison));
    sizes.push_back({{"size", comparison.size},
                     {"symbols", comparison.symbols},
                     {"problem", comparison.problem},
                     {"compared", compared},
                     {"notes", comparison.notes},
                     {"rounds", comparison.rounds},
                     {"seconds", comparison.seconds}});
  }
  Json device = nullptr;
  Json versions = Json::object();
  if (!comparisons.empty()) {
    if (const auto& found = comparisons.front().device) {
      device = {{"name", found->name},
                {"capability", {found->major, found->minor}},
                {"emulated", found->emulated}};
    }
    versions = comparisons.front().versions;
  }
  return document::line({{"schema_version", 1},
                         {"device", device},
                         {"versions", versions},
                         {"rounds", rounds},
                         {"sizes", sizes}});
}

}  // namespace autokernel::cli
