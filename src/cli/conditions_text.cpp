#include "cli/conditions_text.h"

#include <fmt/format.h>

#include <vector>

#include "autokernel/driver/telemetry.h"

namespace autokernel::cli {
namespace {

using trial::Conditions;
using trial::Range;

[[nodiscard]] std::string text_of(const Range& range) {
  if (range.low == range.high) return fmt::format("{:.0f}", range.low);
  return fmt::format("{:.0f} to {:.0f}", range.low, range.high);
}

[[nodiscard]] std::string joined(const std::vector<std::string>& parts, const char* by) {
  return fmt::format("{}", fmt::join(parts, by));
}

}  // namespace

std::string conditions_text(const Conditions& conditions) {
  std::vector<std::string> figures;
  if (conditions.sm_clock_mhz) {
    figures.push_back("SM " + text_of(*conditions.sm_clock_mhz) + " MHz");
  }
  if (conditions.memory_clock_mhz) {
    figures.push_back("memory " + text_of(*conditions.memory_clock_mhz) + " MHz");
  }
  if (conditions.highest_celsius) {
    figures.push_back(fmt::format("up to {:.0f} C", *conditions.highest_celsius));
  }
  if (conditions.highest_watts) {
    figures.push_back(fmt::format("up to {:.0f} W", *conditions.highest_watts));
  }
  if (conditions.others_cpu_share) {
    figures.push_back(
        fmt::format("others used {:.0f} % of the CPU", 100 * *conditions.others_cpu_share));
  }
  if (conditions.governor) figures.push_back("governor " + *conditions.governor);
  if (const int niceness = conditions.niceness.value_or(0); niceness != 0) {
    figures.push_back(fmt::format("niceness {}", niceness));
  }
  std::vector<std::string> parts;
  if (!figures.empty()) parts.push_back(joined(figures, ", "));
  if (const auto words = driver::throttle_words(conditions.throttle_reasons.value_or(0));
      !words.empty()) {
    parts.push_back(words);
  }
  if (const int others = conditions.other_programs.value_or(0); others > 0) {
    parts.push_back(fmt::format("{} other program{}", others, others == 1 ? "" : "s"));
  }
  if (conditions.samples_redone > 0) {
    parts.push_back(fmt::format("{} samples redone", conditions.samples_redone));
  }
  return joined(parts, "; ");
}

}  // namespace autokernel::cli
