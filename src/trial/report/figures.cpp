#include "autokernel/trial/figures.h"

namespace autokernel::trial {

std::optional<Figures> figures(const Result& result) {
  if (result.verdict != Verdict::correct || !result.times) return std::nullopt;
  constexpr double kBytesPerMicrosecond = 1e3;  // of 1 GB/s
  constexpr double kFlopsPerMicrosecond = 1e6;  // of 1 TFLOP/s
  const double median_us = result.times->median_us;
  Figures figures{.times = &*result.times,
                  .gbytes_s = result.bytes / (median_us * kBytesPerMicrosecond),
                  .tflops_s = result.flops / (median_us * kFlopsPerMicrosecond),
                  .vs_reference = std::nullopt,
                  .roof = roofline(result),
                  .intensity = result.flops / result.bytes,
                  .unit = unit_roof(result),
                  .sol_score = sol_score(result)};
  if (result.reference) figures.vs_reference = result.reference->median_us / median_us;
  return figures;
}

}  // namespace autokernel::trial
