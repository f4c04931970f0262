#include "loop/experiment_fields.h"

#include <fmt/format.h>

#include "autokernel/compile/normalized_source.h"
#include "autokernel/compile/reachable_headers.h"
#include "autokernel/repo/repository.h"

namespace autokernel::loop {

std::string digest_of(const cases::KernelSource& source) {
  std::string all = compile::normalized(source.text);
  for (const auto& [path, text] : compile::own_files_in_use({{}, source.text, source.files})) {
    // Lengths first, so that no two sets of files look alike.
    const std::string code = compile::normalized(text);
    all += fmt::format("\n{} {} {}\n", path.size(), code.size(), path) + code;
  }
  return repo::hash_of_bytes(all);
}

std::size_t count_tokens(const cases::KernelSource& source) {
  std::size_t tokens = compile::count_tokens(source.text);
  for (const auto& [path, text] : compile::own_files_in_use({{}, source.text, source.files}))
    tokens += compile::count_tokens(text);
  return tokens;
}

void fill_in(ledger::Experiment& experiment, const trial::Result& result) {
  if (result.verdict != trial::Verdict::correct || !result.times) return;
  constexpr double kFlopsPerMicrosecond = 1e6;  // of 1 TFLOP/s
  experiment.median_us = result.times->median_us;
  experiment.tflops_s = result.flops / (result.times->median_us * kFlopsPerMicrosecond);
  if (result.reference) {
    experiment.vs_reference = result.reference->median_us / result.times->median_us;
  }
  if (const auto& comparison = result.comparison) {
    experiment.gain =
        ledger::Gain{.estimate = comparison->gain,
                     .low = comparison->gain_low,
                     .high = comparison->gain_high,
                     .pairs = static_cast<int>(comparison->incumbent_times.samples_us.size())};
  }
}

}  // namespace autokernel::loop
