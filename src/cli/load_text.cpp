#include "cli/load_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "autokernel/base/document_json.h"
#include "cli/key_lines.h"

namespace autokernel::cli {
namespace {

using document::Json;

constexpr int kLoadSchemaVersion = 1;
constexpr double kMsPerSecond = 1e3;
constexpr double kPercentOfShare = 100;

struct NamedLatency {
  const char* name;
  lab::LatencyFigures lab::LoadFigures::* figures;
};
constexpr std::array kLatencies = {
    NamedLatency{"ttft", &lab::LoadFigures::ttft}, NamedLatency{"tpot", &lab::LoadFigures::tpot},
    NamedLatency{"itl", &lab::LoadFigures::itl}, NamedLatency{"e2e", &lab::LoadFigures::e2e}};
struct NamedStatistic {
  const char* name;
  lab::Estimate lab::LatencyFigures::* estimate;
};
constexpr std::array kStatistics = {NamedStatistic{"mean", &lab::LatencyFigures::mean},
                                    NamedStatistic{"p50", &lab::LatencyFigures::p50},
                                    NamedStatistic{"p90", &lab::LatencyFigures::p90},
                                    NamedStatistic{"p95", &lab::LatencyFigures::p95},
                                    NamedStatistic{"p99", &lab::LatencyFigures::p99}};

// Four digits that mean something, and no more than a microsecond.
[[nodiscard]] std::string ms_text(double seconds) {
  const double ms = kMsPerSecond * seconds;
  const int decimals = std::abs(ms) < 10 ? 3 : std::abs(ms) < 1000 ? 2 : 1;
  return fmt::format("{:.{}f}", ms, decimals);
}

[[nodiscard]] std::string end_text(const std::optional<double>& seconds) {
  return seconds ? ms_text(*seconds) : "-";
}

[[nodiscard]] std::string cell_text(const lab::Estimate& estimate) {
  return fmt::format("{} ({} to {})", ms_text(estimate.value), end_text(estimate.low),
                     end_text(estimate.high));
}

// Of latencies that were measured: a column each, as wide as its widest cell.
[[nodiscard]] std::string latency_table(const lab::LoadFigures& figures) {
  std::array<std::string, kStatistics.size() + 1> lines;
  lines[0] = "ms  ";
  for (std::size_t i = 0; i < kStatistics.size(); ++i) lines[i + 1] = kStatistics[i].name;
  for (const NamedLatency& latency : kLatencies) {
    const lab::LatencyFigures& values = figures.*latency.figures;
    if (values.count == 0) continue;
    std::size_t width = 0;
    for (const std::string& line : lines) width = std::max(width, line.size());
    for (std::string& line : lines) line.resize(width + 2, ' ');
    lines[0] += latency.name;
    for (std::size_t i = 0; i < kStatistics.size(); ++i) {
      lines[i + 1] += cell_text(values.*kStatistics[i].estimate);
    }
  }
  std::string table;
  for (const std::string& line : lines) table += line + '\n';
  return table;
}

[[nodiscard]] std::string rate_text(const lab::Estimate& rate, const char* unit) {
  const std::string interval =
      rate.low && rate.high ? fmt::format(" (95 %: {:.2f} to {:.2f})", *rate.low, *rate.high) : "";
  return fmt::format("{:.2f} {}{}", rate.value, unit, interval);
}

[[nodiscard]] std::string load_line(const lab::LoadSettings& settings,
                                    const lab::LoadFigures& figures) {
  if (!settings.rate) return fmt::format("closed loop, {} at once", settings.concurrency);
  return fmt::format("open loop, {:g} requests/s, Poisson arrivals ({:.2f} were drawn)",
                     *settings.rate, figures.offered_rate);
}

[[nodiscard]] std::string requests_line(const lab::LoadFigures& figures) {
  std::string text = fmt::format("{}, {} answered", figures.requests, figures.succeeded);
  for (const auto& [name, count] : figures.failures) text += fmt::format(", {} {}", count, name);
  return text;
}

[[nodiscard]] std::string goodput_line(const lab::Goodput& goodput) {
  std::string text = fmt::format("{:.2f} requests/s, {:.1f} % of all", goodput.per_second,
                                 kPercentOfShare * goodput.share);
  for (const auto& [name, count] : goodput.missed) {
    text += fmt::format("; {} missed {}", count, name);
  }
  return text;
}

[[nodiscard]] Json json_end(const std::optional<double>& value, double scale) {
  return value ? Json(scale * *value) : Json();
}

[[nodiscard]] Json estimate_json(const lab::Estimate& estimate, double scale) {
  return {{"value", scale * estimate.value},
          {"low", json_end(estimate.low, scale)},
          {"high", json_end(estimate.high, scale)}};
}

[[nodiscard]] Json latency_json(const lab::LatencyFigures& figures) {
  Json object = {{"count", figures.count}};
  for (const NamedStatistic& statistic : kStatistics) {
    object[statistic.name] = estimate_json(figures.*statistic.estimate, kMsPerSecond);
  }
  return object;
}

[[nodiscard]] Json goodput_json(const lab::Goodput& goodput) {
  Json missed = Json::object();
  for (const auto& [name, count] : goodput.missed) missed[name] = count;
  return {
      {"share", goodput.share}, {"requests_per_second", goodput.per_second}, {"missed", missed}};
}

}  // namespace

std::string load_text(const LoadReport& report) {
  const lab::LoadSettings& settings = report.settings;
  const lab::LoadFigures& figures = report.figures;
  KeyLines lines;
  lines.add("server", settings.url + ", model " + settings.model);
  lines.add("load", load_line(settings, figures));
  lines.add("requests", requests_line(figures));
  lines.add("seed", std::to_string(settings.seed));
  lines.add("seconds", figures.seconds, 2);
  lines.add("request_rate", rate_text(figures.requests_per_second, "requests/s"));
  lines.add("token_rate", rate_text(figures.output_tokens_per_second, "output tokens/s"));
  // Of prompts nobody but the server knows.
  const std::string in =
      figures.input_tokens > 0 ? fmt::format("{} in, ", figures.input_tokens) : "";
  lines.add("tokens", fmt::format("{}{} out, counted by {}", in, figures.output_tokens,
                                  figures.tokens_counted_by));
  if (figures.goodput) lines.add("goodput", goodput_line(*figures.goodput));
  lines.add("generator",
            fmt::format("{:.2f} cores; sent {} ms late (99th percentile), at most {} ms",
                        figures.cpu_cores, ms_text(figures.lateness_p99),
                        ms_text(figures.longest_lateness)));
  for (const lab::LoadFinding& finding : figures.findings) {
    lines.add("finding", finding.kind + ": " + finding.text);
  }
  lines.add("clean", figures.unclean.empty() ? "yes" : "no");
  for (const std::string& reason : figures.unclean) lines.add("unclean", reason);
  return lines.take() + (figures.succeeded > 0 ? "\n" + latency_table(figures) : "");
}

std::string load_json(const LoadReport& report) {
  const lab::LoadSettings& settings = report.settings;
  const lab::LoadFigures& figures = report.figures;
  Json object = {{"schema_version", kLoadSchemaVersion},
                 {"program", "autokernel " AUTOKERNEL_VERSION},
                 {"url", settings.url},
                 {"endpoint", settings.is_chat ? "chat" : "completions"},
                 {"model", settings.model},
                 {"streamed", settings.is_streamed},
                 {"concurrency", settings.rate ? Json() : Json(settings.concurrency)},
                 {"rate", settings.rate ? Json(*settings.rate) : Json()},
                 {"offered_rate", settings.rate ? Json(figures.offered_rate) : Json()},
                 {"input_tokens_asked",
                  settings.prompts.empty() ? Json(settings.input_tokens.text()) : Json()},
                 {"output_tokens_asked", settings.output_tokens.text()},
                 {"seed", settings.seed},
                 {"requests", figures.requests},
                 {"succeeded", figures.succeeded}};
  Json failures = Json::object();
  for (const auto& [name, count] : figures.failures) failures[name] = count;
  object["failures"] = failures;
  object["seconds"] = figures.seconds;
  object["tokens_counted_by"] = figures.tokens_counted_by;
  object["input_tokens"] = figures.input_tokens;
  object["output_tokens"] = figures.output_tokens;
  object["requests_per_second"] = estimate_json(figures.requests_per_second, 1);
  object["output_tokens_per_second"] = estimate_json(figures.output_tokens_per_second, 1);
  object["goodput"] = figures.goodput ? goodput_json(*figures.goodput) : Json();
  for (const NamedLatency& latency : kLatencies) {
    const lab::LatencyFigures& values = figures.*latency.figures;
    object[std::string(latency.name) + "_ms"] = values.count > 0 ? latency_json(values) : Json();
  }
  object["generator"] = {{"cpu_cores", figures.cpu_cores},
                         {"lateness_p99_ms", kMsPerSecond * figures.lateness_p99},
                         {"longest_lateness_ms", kMsPerSecond * figures.longest_lateness},
                         {"late_share", figures.late_share},
                         {"longest_delay_ms", kMsPerSecond * figures.longest_delay}};
  Json findings = Json::array();
  for (const lab::LoadFinding& finding : figures.findings) {
    findings.push_back({{"kind", finding.kind}, {"text", finding.text}});
  }
  object["findings"] = findings;
  object["clean"] = figures.unclean.empty();
  object["unclean"] = figures.unclean;
  return document::line(object);
}

}  // namespace autokernel::cli
