#include "loop/experiment_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "autokernel/compile/normalized_source.h"
#include "autokernel/compile/reachable_headers.h"
#include "autokernel/repo/repository.h"

namespace autokernel::loop {
namespace {

// Weighted; none where it is not known of each size.
[[nodiscard]] std::optional<double> geometric_mean(
    const std::vector<ledger::SizeFigures>& sizes,
    std::optional<double> ledger::SizeFigures::* figure) {
  double weights = 0;
  double logs = 0;
  for (const ledger::SizeFigures& size : sizes) {
    const std::optional<double>& value = size.*figure;
    if (!value) return std::nullopt;
    weights += size.weight;
    logs += size.weight * std::log(*value);
  }
  return std::exp(logs / weights);
}

}  // namespace

namespace {

// Of a program that is no kernel nobody knows which bytes are comments.
[[nodiscard]] std::string digest_of_bytes(const cases::KernelSource& source) {
  std::string all = source.text;
  for (const auto& [path, text] : source.files)
    all += fmt::format("\n{} {} {}\n", path.size(), text.size(), path) + text;
  return repo::hash_of_bytes(all);
}

[[nodiscard]] std::size_t count_words(const std::string& text) {
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank && !in_word) ++words;
    in_word = !is_blank;
  }
  return words;
}

}  // namespace

std::string digest_of(const cases::KernelSource& source, Written written) {
  if (written == Written::anyhow) return digest_of_bytes(source);
  std::string all = compile::normalized(source.text);
  for (const auto& [path, text] : compile::own_files_in_use({{}, source.text, source.files})) {
    // Lengths first, so that no two sets of files look alike.
    const std::string code = compile::normalized(text);
    all += fmt::format("\n{} {} {}\n", path.size(), code.size(), path) + code;
  }
  return repo::hash_of_bytes(all);
}

std::size_t count_tokens(const cases::KernelSource& source, Written written) {
  if (written == Written::anyhow) {
    std::size_t words = count_words(source.text);
    for (const auto& [path, text] : source.files) words += count_words(text);
    return words;
  }
  std::size_t tokens = compile::count_tokens(source.text);
  for (const auto& [path, text] : compile::own_files_in_use({{}, source.text, source.files}))
    tokens += compile::count_tokens(text);
  return tokens;
}

std::optional<ledger::Gain> gain_of(const trial::Result& result) {
  const auto& comparison = result.comparison;
  if (!comparison) return std::nullopt;
  return ledger::Gain{.estimate = comparison->gain,
                      .low = comparison->gain_low,
                      .high = comparison->gain_high,
                      .pairs = static_cast<int>(comparison->incumbent_times.samples_us.size())};
}

ledger::SizeFigures figures_of(const std::string& size, double weight,
                               const trial::Result& result) {
  ledger::SizeFigures figures{.size = size,
                              .weight = weight,
                              .median_us = std::nullopt,
                              .vs_reference = std::nullopt,
                              .gain = gain_of(result)};
  if (!result.times) return figures;
  figures.median_us = result.times->median_us;
  if (result.reference) figures.vs_reference = result.reference->median_us / *figures.median_us;
  return figures;
}

ledger::MetricValue metric_of(const trial::MetricReport& report, double value) {
  return {.name = report.name,
          .unit = report.unit,
          .higher_is_better = report.higher_is_better,
          .value = value};
}

void fill_in(ledger::Experiment& experiment, const trial::Result& result,
             std::vector<ledger::SizeFigures> sizes) {
  if (result.verdict != trial::Verdict::correct || !result.times) return;
  if (const auto& metric = result.metric) {
    experiment.metric = metric_of(*metric, metric->value);
    for (const trial::GuardReport& guard : metric->guards) {
      experiment.guards.push_back({.metric = {.name = guard.name,
                                              .unit = guard.unit,
                                              .higher_is_better = guard.higher_is_better,
                                              .value = guard.value},
                                   .gain = guard.gain});
    }
    experiment.gain = gain_of(result);
    return;
  }
  constexpr double kFlopsPerMicrosecond = 1e6;  // of 1 TFLOP/s
  experiment.median_us = result.times->median_us;
  experiment.tflops_s = result.flops / (result.times->median_us * kFlopsPerMicrosecond);
  if (result.reference) {
    experiment.vs_reference = result.reference->median_us / result.times->median_us;
  }
  experiment.gain = gain_of(result);
  if (!sizes.empty()) {
    experiment.median_us = geometric_mean(sizes, &ledger::SizeFigures::median_us);
    experiment.vs_reference = geometric_mean(sizes, &ledger::SizeFigures::vs_reference);
    experiment.tflops_s.reset();  // of different amounts of work
    experiment.sizes = std::move(sizes);
  }
}

}  // namespace autokernel::loop
