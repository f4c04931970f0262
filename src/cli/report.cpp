#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "cli/advice.h"
#include "cli/figures.h"

namespace autokernel::cli {
namespace {

using trial::Result;
using trial::Verdict;

constexpr std::size_t kValueColumn = 18;

// A line is a line and nothing else: what a compiler quotes may hold anything, escape sequences
// included.
[[nodiscard]] std::string printable(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
    clean += is_control ? ' ' : c;
  }
  return clean;
}

class Lines {
 public:
  // Several lines of text are continued below the first, in the column of the values.
  void add(std::string_view key, std::string_view text) {
    std::string start = fmt::format("{:<{}}", fmt::format("{}: ", key), kValueColumn);
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      text_ += start + printable(text.substr(begin, end - begin)) + '\n';
      start.assign(kValueColumn, ' ');
      begin = end + 1;
    }
  }
  void add(std::string_view key, double value, int decimals) {
    add(key, fmt::format("{:.{}f}", value, decimals));
  }
  void add(std::string_view key, const std::optional<double>& value, int decimals) {
    if (value) add(key, *value, decimals);
  }
  void add_count(std::string_view key, std::uint64_t value) { add(key, fmt::format("{}", value)); }
  void add_unless_empty(std::string_view key, std::string_view text) {
    if (!text.empty()) add(key, text.substr(0, text.find_last_not_of('\n') + 1));
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

[[nodiscard]] std::string device_lines(const Result& result) {
  if (!result.device) return "---\n";
  return fmt::format("Device: {}\nCapability: ({}, {})\n---\n", printable(result.device->name),
                     result.device->major, result.device->minor);
}

// The twelve keys that existing agents and plots parse.
void add_known_keys(Lines& lines, const Result& result, const std::optional<Figures>& figures) {
  lines.add("label", result.label);
  lines.add("correct", result.verdict == Verdict::correct ? "True" : "False");
  if (figures) {
    lines.add("median_us", figures->times->median_us, 3);
    lines.add("p95_us", figures->times->p95_us, 3);
    lines.add("gbytes_s", figures->gbytes_s, 2);
    lines.add("tflops_s", figures->tflops_s, 2);
  }
  if (result.differences) {
    lines.add("max_abs_err", result.differences->max_abs, 6);
    lines.add("max_rel_err", result.differences->max_rel, 6);
  }
  if (figures) lines.add("bench_seconds", result.bench_seconds, 2);
  lines.add("total_seconds", result.total_seconds, 2);
  lines.add_unless_empty("problem", result.problem);
  if (figures) {
    lines.add("iters", fmt::format("{} timed (cap {:g}s)", figures->times->samples_us.size(),
                                   result.cap_seconds));
  }
}

void add_speed(Lines& lines, const Result& result, const Figures& figures) {
  lines.add("noise_pct", figures.times->noise_pct, 2);
  if (result.reference) lines.add("reference_us", result.reference->median_us, 3);
  lines.add("reference_default_us", result.reference_default_us, 3);
  lines.add("vs_reference", figures.vs_reference, 3);
  if (figures.roof) {
    lines.add("pct_peak", figures.roof->peak_pct, 1);
    lines.add("bound", spelling(figures.roof->bound));
  }
}

void add_our_keys(Lines& lines, const Result& result, const std::optional<Figures>& figures,
                  const std::string& log) {
  if (figures) add_speed(lines, result, *figures);
  if (result.resources) {
    lines.add_count("registers", result.resources->registers);
    lines.add_count("spill_bytes", result.resources->spill_bytes);
    lines.add_count("shared_bytes", result.resources->shared_bytes);
  }
  if (figures) {
    lines.add("event_floor_us", result.event_floor_us, 3);
    lines.add("event_tick_us", result.event_tick_us, 3);
    lines.add("warm_us", result.warm_us, 3);
  }
  if (result.device) lines.add("timing", timing(*result.device));
  for (const std::string& warning : result.warnings) lines.add_unless_empty("warning", warning);
  lines.add("verdict", trial::spelling(result.verdict));
  lines.add_unless_empty("reason", result.reason);
  lines.add_unless_empty("log", log);
  lines.add_unless_empty("next", advice(result));
}

}  // namespace

std::string text_block(const Result& result, const std::string& log) {
  const std::optional<Figures> known = figures(result);
  Lines lines;
  add_known_keys(lines, result, known);
  add_our_keys(lines, result, known, log);
  return device_lines(result) + lines.take();
}

const char* timing(const trial::DeviceReport& device) {
  return device.emulated ? "emulated" : "gpu";
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::correct:
      return 0;
    case Verdict::incorrect:
      return 11;
    case Verdict::does_not_compile:
      return 12;
    case Verdict::timed_out:
      return 13;
    case Verdict::crashed:
      return 14;
  }
  return 70;
}

}  // namespace autokernel::cli
