#include "autokernel/trial/roofline.h"

#include <algorithm>

namespace autokernel::trial {

const char* spelling(Bound bound) { return bound == Bound::compute ? "compute" : "memory"; }

std::optional<Roofline> roofline(const Result& result) {
  if (!result.times || result.times->median_us <= 0) return {};
  const double peak_tflops = result.peak_tflops.value_or(0);
  const double peak_gbytes_s = result.peak_gbytes_s.value_or(0);
  if (peak_tflops <= 0 || peak_gbytes_s <= 0) return {};
  const double compute_us = result.flops / (peak_tflops * 1e6);
  const double memory_us = result.bytes / (peak_gbytes_s * 1e3);
  const double least_us = std::max(compute_us, memory_us);
  return Roofline{.bound = compute_us >= memory_us ? Bound::compute : Bound::memory,
                  .peak_pct = 100 * least_us / result.times->median_us};
}

}  // namespace autokernel::trial
