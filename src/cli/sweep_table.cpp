#include "cli/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/visible_text.h"
#include "autokernel/trial/figures.h"
#include "autokernel/trial/verdicts.h"
#include "cli/key_lines.h"
#include "cli/table_cells.h"

namespace autokernel::cli {
namespace {

// The verdict, and why where it is none of those that are hoped for.
[[nodiscard]] std::string outcome(const SweepRow& row) {
  if (!row.result) return "not run: " + first_visible_line(row.error);
  const std::string verdict = trial::finding(*row.result).in_bench;
  return row.result->reason.empty() ? verdict
                                    : verdict + ": " + first_visible_line(row.result->reason);
}

[[nodiscard]] std::optional<double> gain_pct(const std::optional<trial::Result>& result) {
  if (!result || result->verdict != trial::Verdict::correct) return std::nullopt;
  const std::optional<trial::PairedComparison>& comparison = result->comparison;
  if (!comparison) return std::nullopt;
  return 100 * comparison->gain;
}

[[nodiscard]] std::string timing_of(const std::vector<SweepRow>& rows) {
  for (const SweepRow& row : rows) {
    if (!row.result) continue;
    const std::optional<trial::DeviceReport>& device = row.result->device;
    if (device) return trial::timing(*device);
  }
  return {};
}

}  // namespace

SweepTable::SweepTable(const cases::Case& problem, const SweepPlan& plan)
    : has_incumbent_(plan.has_incumbent) {
  // A time of hours, in microseconds with three decimals.
  constexpr std::size_t kTime = 14;
  constexpr std::size_t kFigure = 10;
  std::size_t longest = 0;
  std::map<std::string, std::size_t> widths;
  for (const std::string& size : plan.sizes) {
    longest = std::max(longest, visible_line(size).size());
    for (const auto& [symbol, text] : cases::symbol_texts(problem, size))
      widths[symbol] = std::max(widths[symbol], text.size());
  }
  append("size", longest);
  for (const auto& [symbol, width] : widths) {
    symbols_.push_back(symbol);
    append(symbol, width);
  }
  append("median_us", kTime);
  append("reference_us", kTime);
  append("vs_reference", kFigure);
  append("tflops_s", kFigure);
  append("gbytes_s", kFigure);
  append("pct_peak", 0);
  if (has_incumbent_) append("gain_pct", 0);
}

void SweepTable::append(const std::string& name, std::size_t width) {
  columns_.push_back({name, std::max(name.size(), width)});
}

std::string SweepTable::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    text += i == 0 ? fmt::format("{:<{}}", cells[i], columns_[i].width)
                   : fmt::format("  {:>{}}", cells[i], columns_[i].width);
  }
  return text + "  " + cells.back() + "\n";
}

std::string SweepTable::head() const {
  std::vector<std::string> cells;
  cells.reserve(columns_.size() + 1);
  for (const Column& column : columns_) cells.push_back(column.name);
  cells.emplace_back("verdict");
  return line(cells);
}

std::string SweepTable::row(const SweepRow& row) const {
  std::optional<trial::Figures> known;
  if (row.result) known = figures(*row.result);
  std::vector<std::string> cells{visible_line(row.size)};
  for (const std::string& symbol : symbols_) {
    cells.push_back(row.texts.at(symbol));
  }
  const auto add_figure = [&](auto value_of, int decimals) {
    std::optional<double> value;
    if (known) value = value_of(*known);
    cells.push_back(cell(value, decimals));
  };
  using Known = const trial::Figures&;
  using Value = std::optional<double>;
  add_figure([](Known f) -> Value { return f.times->median_us; }, 3);
  add_figure(
      [&](Known) -> Value {
        if (!row.result->reference) return std::nullopt;
        return row.result->reference->median_us;
      },
      3);
  add_figure([](Known f) -> Value { return f.vs_reference; }, 3);
  add_figure([](Known f) -> Value { return f.tflops_s; }, 3);
  add_figure([](Known f) -> Value { return f.gbytes_s; }, 2);
  add_figure(
      [](Known f) -> Value {
        if (!f.roof) return std::nullopt;
        return f.roof->peak_pct;
      },
      1);
  if (has_incumbent_) cells.push_back(cell(gain_pct(row.result), 2));
  cells.push_back(outcome(row));
  return line(cells);
}

std::string sweep_summary(const std::vector<SweepRow>& rows, std::size_t planned) {
  const auto is_timed = [](const SweepRow& row) {
    return row.result && figures(*row.result).has_value();
  };
  KeyLines lines;
  lines.add("sizes",
            fmt::format("{} of {} measured", std::ranges::count_if(rows, is_timed), planned));
  if (const auto mean = reference_mean(rows)) {
    lines.add("geomean_vs_reference", fmt::format("{:.3f} of {} size{}", mean->ratio, mean->sizes,
                                                  mean->sizes == 1 ? "" : "s"));
  }
  lines.add_unless_empty("timing", timing_of(rows));
  return lines.take();
}

}  // namespace autokernel::cli
