#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "autokernel/base/visible_text.h"
#include "autokernel/trial/figures.h"
#include "autokernel/trial/verdicts.h"
#include "cli/conditions_text.h"
#include "cli/key_lines.h"

namespace autokernel::cli {
namespace {

using trial::Result;
using trial::Verdict;

[[nodiscard]] std::string device_lines(const Result& result) {
  if (!result.device) return "---\n";
  if (result.is_of_command)
    return fmt::format("Device: {}\n---\n", visible_line(result.device->name));
  return fmt::format("Device: {}\nCapability: ({}, {})\n---\n", visible_line(result.device->name),
                     result.device->major, result.device->minor);
}

// With at least four digits that say something: the errors of fp32 lie below the six decimals that
// these keys have always had. Without an exponent, which not everybody who reads them expects.
[[nodiscard]] std::string error_text(double error) {
  constexpr int kDecimals = 6;
  constexpr int kDigits = 4;
  // Below the smallest number that fp32 has.
  constexpr int kMostDecimals = 48;
  int decimals = kDecimals;
  if (error > 0 && std::isfinite(error)) {
    const int leading = static_cast<int>(std::floor(std::log10(error)));
    decimals = std::clamp(kDigits - 1 - leading, kDecimals, kMostDecimals);
  }
  return fmt::format("{:.{}f}", error, decimals);
}

// The twelve keys that existing agents and plots parse.
void add_known_keys(KeyLines& lines, const Result& result,
                    const std::optional<trial::Figures>& figures) {
  lines.add("label", result.label);
  lines.add("correct", result.verdict == Verdict::correct ? "True" : "False");
  if (figures) {
    lines.add("median_us", figures->times->median_us, 3);
    lines.add("p95_us", figures->times->p95_us, 3);
    lines.add("gbytes_s", figures->gbytes_s, 2);
    lines.add("tflops_s", figures->tflops_s, 2);
  }
  if (result.differences) {
    lines.add("max_abs_err", error_text(result.differences->max_abs));
    lines.add("max_rel_err", error_text(result.differences->max_rel));
  }
  if (figures) lines.add("bench_seconds", result.bench_seconds, 2);
  lines.add("total_seconds", result.total_seconds, 2);
  lines.add_unless_empty("problem", result.problem);
  if (figures) {
    lines.add("iters", fmt::format("{} timed (cap {:g}s)", figures->times->samples_us.size(),
                                   result.cap_seconds));
  }
}

void add_speed(KeyLines& lines, const Result& result, const trial::Figures& figures) {
  lines.add("noise_pct", figures.times->noise_pct, 2);
  if (result.reference) lines.add("reference_us", result.reference->median_us, 3);
  lines.add("reference_default_us", result.reference_default_us, 3);
  lines.add("vs_reference", figures.vs_reference, 3);
  for (const trial::Baseline& baseline : result.baselines) {
    lines.add("baseline",
              fmt::format("{:.3f} us, {:.3f} times the kernel's: {}, {}", baseline.median_us,
                          baseline.median_us / figures.times->median_us, baseline.name,
                          baseline.configuration));
  }
  if (figures.roof) {
    lines.add("pct_peak", figures.roof->peak_pct, 1);
    lines.add("bound", spelling(figures.roof->bound));
  }
  lines.add("intensity", figures.intensity, 3);
  if (figures.unit) {
    lines.add("ridge", figures.unit->ridge, 3);
    lines.add("unit", driver::spelling(figures.unit->unit));
    lines.add("pct_unit", figures.unit->peak_pct, 1);
  }
  lines.add("sol_score", figures.sol_score, 3);
}

// Percentages are of the incumbent's time: 10 is a tenth less.
void add_comparison(KeyLines& lines, const trial::PairedComparison& comparison) {
  lines.add("against", comparison.incumbent_name);
  lines.add("against_us", comparison.incumbent_times.median_us, 3);
  lines.add("gain_pct", 100 * comparison.gain, 2);
  lines.add("gain_low_pct", 100 * comparison.gain_low, 2);
  lines.add("gain_high_pct", 100 * comparison.gain_high, 2);
  if (comparison.confirmed_gain) lines.add("gain_apart_pct", 100 * *comparison.confirmed_gain, 2);
  lines.add_count("pairs", comparison.incumbent_times.samples_us.size());
}

// A line for each.
[[nodiscard]] std::string stages_text(const std::vector<trial::StageReport>& stages) {
  std::string text;
  for (const auto& [stage, outcome, reason] : stages) {
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : "\n", spelling(stage), spelling(outcome),
                        reason.empty() ? "" : ": ", reason);
  }
  return text;
}

// "-3.10 %": how a figure changes by that gain.
[[nodiscard]] std::string change_of(bool higher_is_better, double gain) {
  return ledger::change_text(ledger::change_by(gain, higher_is_better));
}

// Of a [command] case, in place of times and rates.
void add_metric(KeyLines& lines, const Result& result, const trial::MetricReport& metric) {
  lines.add("label", result.label);
  lines.add("correct", "True");
  lines.add("metric", fmt::format("{} ({} is better)", metric.name,
                                  metric.higher_is_better ? "higher" : "lower"));
  lines.add("value", metric_text(metric.value, metric.unit));
  lines.add("runs", fmt::format("{}{}", metric.samples.size(),
                                metric.deterministic ? ", which agree exactly" : ""));
  if (!metric.deterministic && result.times) lines.add("noise_pct", result.times->noise_pct, 2);
  if (result.comparison && metric.incumbent) {
    const trial::PairedComparison& comparison = *result.comparison;
    const auto change = [&](double gain) { return change_of(metric.higher_is_better, gain); };
    lines.add("against", comparison.incumbent_name);
    lines.add("against_value", metric_text(*metric.incumbent, metric.unit));
    lines.add("change", metric.deterministic
                            ? change(comparison.gain)
                            : fmt::format("{} (95 %: {} to {}, {} pairs of runs)",
                                          change(comparison.gain), change(comparison.gain_low),
                                          change(comparison.gain_high), metric.samples.size()));
  }
  for (const trial::GuardReport& guard : metric.guards) {
    std::string text = fmt::format("{} {}", guard.name, metric_text(guard.value, guard.unit));
    if (guard.gain)
      text += fmt::format(", {}, and at most {:g} % worse is allowed",
                          change_of(guard.higher_is_better, *guard.gain), 100 * guard.most_loss);
    lines.add("guard", text);
  }
  lines.add("total_seconds", result.total_seconds, 2);
  lines.add_unless_empty("problem", result.problem);
}

void add_our_keys(KeyLines& lines, const Result& result,
                  const std::optional<trial::Figures>& figures, const std::string& log,
                  const LastWord& last) {
  if (figures) add_speed(lines, result, *figures);
  if (figures && result.comparison) add_comparison(lines, *result.comparison);
  if (result.resources) {
    lines.add_count("registers", result.resources->registers);
    lines.add_count("spill_bytes", result.resources->spill_bytes);
    lines.add_count("shared_bytes", result.resources->shared_bytes);
  }
  if (figures) {
    for (const trial::SpeedFigure& figure : trial::kSpeedFigures) {
      lines.add(figure.key, result.*figure.value, figure.decimals);
    }
  }
  lines.add_unless_empty("stages", stages_text(result.stages));
  if (result.device && !result.is_of_command) lines.add("timing", timing(*result.device));
  if (figures && result.conditions) {
    lines.add_unless_empty("conditions", conditions_text(*result.conditions));
  }
  for (const std::string& warning : result.warnings) lines.add_unless_empty("warning", warning);
  for (const auto& [key, value] : last.lines) lines.add(key, value);
  lines.add("verdict", last.verdict);
  lines.add_unless_empty("reason", last.reason);
  lines.add_unless_empty("log", log);
  lines.add_unless_empty("next", last.next);
}

}  // namespace

std::string text_block(const Result& result, const std::string& log) {
  const trial::Finding& found = trial::finding(result);
  const bool compared = result.verdict == Verdict::correct && result.comparison;
  const std::string& reason = compared ? result.comparison->reason : result.reason;
  return text_block(result, log, {{}, found.in_bench, reason, found.advice(result)});
}

std::string text_block(const Result& result, const std::string& log, const LastWord& last) {
  const std::optional<trial::Figures> known = result.metric ? std::nullopt : figures(result);
  KeyLines lines;
  if (result.metric) {
    add_metric(lines, result, *result.metric);
  } else {
    add_known_keys(lines, result, known);
  }
  add_our_keys(lines, result, known, log, last);
  return device_lines(result) + lines.take();
}

std::string timings_block(const std::vector<trial::Span>& timings) {
  std::string text;
  for (const trial::Span& span : timings) {
    text += fmt::format("{}{:7.3f} s from {:.3f}: {}", text.empty() ? "" : "\n",
                        span.end_seconds - span.begin_seconds, span.begin_seconds, span.what);
  }
  KeyLines lines;
  lines.add("timings", text);
  return lines.take();
}

std::string times_as_good(const ledger::Confirmed& ratio) {
  return fmt::format("{:.3f} times as good (95 %: {:.3f} to {:.3f})", ratio.ratio, ratio.low,
                     ratio.high);
}

std::string times_as_fast(const ledger::Confirmed& ratio, const std::string& library) {
  return fmt::format("{:.3f} times as fast{} (95 %: {:.3f} to {:.3f})", ratio.ratio,
                     library.empty() ? "" : " as " + library, ratio.low, ratio.high);
}

}  // namespace autokernel::cli
