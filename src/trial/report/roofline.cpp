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

std::optional<UnitRoof> unit_roof(const Result& result) {
  if (!result.unit || !result.times || result.times->median_us <= 0) return {};
  UnitRoof roof{.unit = *result.unit, .ridge = {}, .peak_pct = {}};
  const double unit_tflops = result.unit_tflops.value_or(0);
  if (unit_tflops <= 0) return roof;
  constexpr double kPerTera = 1e12;
  constexpr double kPerGiga = 1e9;
  const double peak_gbytes_s = result.peak_gbytes_s.value_or(0);
  if (peak_gbytes_s > 0) roof.ridge = unit_tflops * kPerTera / (peak_gbytes_s * kPerGiga);
  roof.peak_pct = 100 * result.flops / (unit_tflops * 1e6) / result.times->median_us;
  return roof;
}

std::optional<double> sol_score(const Result& result) {
  if (!result.reference) return {};
  return sol_score(result, result.reference->median_us);
}

std::optional<double> sol_score(const Result& result, double reference_us) {
  const std::optional<Roofline> roof = roofline(result);
  if (!roof || !result.times) return {};
  const double median_us = result.times->median_us;
  const double sol_us = median_us * roof->peak_pct / 100;
  const double base_us = reference_us - sol_us;
  if (base_us <= 0) return {};
  // A kernel on units that are faster than those of the case may be below.
  const double us = std::max(0.0, median_us - sol_us);
  return 1 / (1 + us / base_us);
}

}  // namespace autokernel::trial
