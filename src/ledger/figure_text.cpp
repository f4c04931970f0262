#include "autokernel/ledger/figure_text.h"

#include <fmt/format.h>

namespace autokernel::ledger {

std::string metric_text(double value, const std::string& unit) {
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string figure_text(double value, const std::optional<MetricValue>& metric) {
  if (!metric) return fmt::format("{:.3f} us", value);
  return metric->name + " " + metric_text(value, metric->unit);
}

double change_by(double gain, bool higher_is_better) {
  return higher_is_better ? 1 / (1 - gain) - 1 : -gain;
}

std::string change_text(double change) { return fmt::format("{:+.2f} %", 100 * change); }

std::string gain_text(double gain, const std::optional<MetricValue>& metric) {
  if (metric) return change_text(change_by(gain, metric->higher_is_better));
  return fmt::format("{:.2f} % less time than before", 100 * gain);
}

std::string over_baseline_text(double ratio, const std::optional<MetricValue>& metric) {
  if (!metric) return fmt::format("{:.3f} times as fast as the baseline", ratio);
  return fmt::format("{:.3f} times the baseline", metric->higher_is_better ? ratio : 1 / ratio);
}

}  // namespace autokernel::ledger
