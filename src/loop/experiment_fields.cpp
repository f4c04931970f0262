#include "loop/experiment_fields.h"

#include "autokernel/compile/normalized_source.h"
#include "autokernel/repo/repository.h"

namespace autokernel::loop {

std::string digest_of(const std::string& source) {
  return repo::hash_of_bytes(compile::normalized(source));
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
