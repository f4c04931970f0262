#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "autokernel/lab/load_figures.h"
#include "lab/load/findings.h"
#include "lab/load/intervals.h"
#include "lab/random_bits.h"

namespace autokernel::lab {
namespace {

// Parts of a run whose rates are compared: the usual number of batches is 10 to 30.
constexpr std::size_t kBatches = 10;
// Fewer answers to a batch, and its rate is chance.
constexpr std::size_t kFewestPerBatch = 5;
// What a request may be late before its latency is the generator's; a hundredth of the usual 100 ms
// to a first token.
constexpr double kMostLateness = 1e-3;
// The 99th percentile is what counts: one pause of this machine in a thousand requests is none of
// the generator's doing, and each latency counts from when the request was scheduled anyway.
constexpr double kLatenessQuantile = 0.99;
constexpr double kMostLateShare = 0.01;
// A loop that is never idle may be what limits the rate.
constexpr double kMostCpuCores = 0.95;
constexpr double kMilli = 1e3;

[[nodiscard]] Estimate rate_of(const LoadRun& run, double total, double seconds, TokenCount count,
                               bool of_tokens) {
  const double rate = seconds > 0 ? total / seconds : 0;
  std::size_t answers = 0;
  std::array<double, kBatches> batches{};
  for (const RequestOutcome& outcome : run.requests) {
    if (!outcome.succeeded()) continue;
    ++answers;
    const double at = (outcome.ended - run.began) / seconds * kBatches;
    const auto batch = static_cast<std::size_t>(std::clamp(at, 0.0, kBatches - 1.0));
    batches[batch] += of_tokens ? static_cast<double>(tokens_of(outcome, count)) : 1;
  }
  if (answers < kBatches * kFewestPerBatch) return {.value = rate, .low = {}, .high = {}};
  for (double& batch : batches) batch /= seconds / kBatches;
  return estimate_of_batches(rate, batches);
}

void add_totals(LoadFigures& figures, const LoadRun& run, TokenCount count) {
  std::size_t by_usage = 0;
  for (const RequestOutcome& outcome : run.requests) {
    if (!outcome.succeeded()) {
      ++figures.failures[load_failure_name(outcome.failure)];
      continue;
    }
    ++figures.succeeded;
    if (count == TokenCount::usage && outcome.usage_output) ++by_usage;
    figures.output_tokens += tokens_of(outcome, count);
    figures.input_tokens += outcome.usage_input.value_or(0);
  }
  figures.tokens_counted_by = count == TokenCount::words      ? "words"
                              : by_usage == 0                 ? "words or pieces"
                              : by_usage == figures.succeeded ? "usage"
                                                              : "usage, and words or pieces";
}

void add_latencies(LoadFigures& figures, const LoadRun& run, const LoadSettings& settings,
                   TokenCount count) {
  std::vector<double> ttft;
  std::vector<double> tpot;
  std::vector<double> e2e;
  std::vector<std::span<const float>> gaps;
  for (const RequestOutcome& outcome : run.requests) {
    if (!outcome.succeeded() || !outcome.first || !outcome.last) continue;
    e2e.push_back(*outcome.last - outcome.scheduled);
    if (!settings.is_streamed) continue;
    ttft.push_back(*outcome.first - outcome.scheduled);
    if (const auto time = time_per_token(outcome, count)) tpot.push_back(*time);
    if (!outcome.gaps.empty()) gaps.emplace_back(outcome.gaps);
  }
  figures.ttft = figures_of_independent(std::move(ttft));
  figures.tpot = figures_of_independent(std::move(tpot));
  figures.e2e = figures_of_independent(std::move(e2e));
  figures.itl = figures_of_groups(gaps, settings.seed);
}

[[nodiscard]] Goodput goodput_of(const LoadRun& run, const Objectives& objectives, TokenCount count,
                                 double seconds) {
  Goodput goodput;
  std::size_t good = 0;
  for (const RequestOutcome& outcome : run.requests) {
    if (!outcome.succeeded() || !outcome.first || !outcome.last) continue;
    bool keeps_all = true;
    const auto hold = [&](const char* name, const std::optional<double>& objective,
                          const std::optional<double>& value) {
      if (!objective || !value || *value <= *objective) return;
      keeps_all = false;
      ++goodput.missed[name];
    };
    hold("ttft", objectives.ttft, *outcome.first - outcome.scheduled);
    hold("tpot", objectives.tpot, time_per_token(outcome, count));
    hold("e2e", objectives.e2e, *outcome.last - outcome.scheduled);
    if (!outcome.gaps.empty()) {
      hold("itl", objectives.itl, static_cast<double>(*std::ranges::max_element(outcome.gaps)));
    }
    if (keeps_all) ++good;
  }
  const auto all = static_cast<double>(run.requests.size());
  goodput.share = all > 0 ? static_cast<double>(good) / all : 0;
  goodput.per_second = seconds > 0 ? static_cast<double>(good) / seconds : 0;
  return goodput;
}

void add_generator(LoadFigures& figures, const LoadRun& run, const LoadSettings& settings) {
  std::vector<double> lateness;
  lateness.reserve(run.requests.size());
  for (const RequestOutcome& outcome : run.requests) {
    lateness.push_back(outcome.sent - outcome.scheduled);
  }
  std::ranges::sort(lateness);
  if (!lateness.empty()) {
    figures.lateness_p99 = quantile_of_sorted(lateness, kLatenessQuantile);
    figures.longest_lateness = lateness.back();
  }
  if (figures.seconds > 0) figures.cpu_cores = run.cpu_seconds / figures.seconds;
  if (run.handled_events > 0) {
    figures.late_share =
        static_cast<double>(run.late_events) / static_cast<double>(run.handled_events);
  }
  figures.longest_delay = run.longest_delay;
  if (settings.rate && figures.lateness_p99 > kMostLateness) {
    figures.unclean.push_back(
        fmt::format("one request in a hundred was sent more than {:.1f} ms late",
                    kMilli * figures.lateness_p99));
  }
  if (figures.late_share > kMostLateShare) {
    figures.unclean.push_back(fmt::format("{:.1f} % of what came was handled more than 1 ms late",
                                          100 * figures.late_share));
  }
  if (figures.cpu_cores > kMostCpuCores) {
    figures.unclean.push_back(
        fmt::format("the load generator used {:.2f} cores; it has one", figures.cpu_cores));
  }
  if (!run.gave_up.empty()) figures.unclean.push_back("it gave up: " + run.gave_up);
}

}  // namespace

LoadFigures figures_of(const LoadRun& run, const LoadSettings& settings, TokenCount count,
                       const std::optional<Objectives>& objectives) {
  LoadFigures figures;
  figures.requests = run.requests.size();
  figures.seconds = run.ended - run.began;
  add_totals(figures, run, count);
  if (settings.rate && !run.requests.empty())
    figures.offered_rate =
        static_cast<double>(run.requests.size()) / (run.requests.back().scheduled - run.began);
  figures.requests_per_second =
      rate_of(run, static_cast<double>(figures.succeeded), figures.seconds, count, false);
  figures.output_tokens_per_second =
      rate_of(run, static_cast<double>(figures.output_tokens), figures.seconds, count, true);
  add_latencies(figures, run, settings, count);
  if (objectives) figures.goodput = goodput_of(run, *objectives, count, figures.seconds);
  add_generator(figures, run, settings);
  figures.findings = findings_in(run, count);
  if (!figures.findings.empty()) {
    std::vector<std::string> kinds;
    kinds.reserve(figures.findings.size());
    for (const LoadFinding& finding : figures.findings) kinds.push_back(finding.kind);
    figures.unclean.push_back(fmt::format("found of the server: {}", fmt::join(kinds, ", ")));
  }
  return figures;
}

}  // namespace autokernel::lab
