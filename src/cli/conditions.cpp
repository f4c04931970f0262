#include "cli/conditions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "autokernel/driver/telemetry.h"

namespace autokernel::cli {
namespace {

using Json = nlohmann::ordered_json;
using trial::Conditions;
using trial::Range;

[[nodiscard]] std::string text_of(const Range& range) {
  if (range.low == range.high) return fmt::format("{:.0f}", range.low);
  return fmt::format("{:.0f} to {:.0f}", range.low, range.high);
}

[[nodiscard]] std::string joined(const std::vector<std::string>& parts, const char* by) {
  return fmt::format("{}", fmt::join(parts, by));
}

[[nodiscard]] Json json_of(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return {range->low, range->high};
}
template <typename Value>
[[nodiscard]] Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

template <typename Value>
void read(const Json& object, const char* name, std::optional<Value>& value) {
  if (const Json& found = object.at(name); !found.is_null()) value = found.get<Value>();
}
void read(const Json& object, const char* name, std::optional<Range>& value) {
  if (const Json& found = object.at(name); !found.is_null()) {
    value = Range{found.at(0).get<double>(), found.at(1).get<double>()};
  }
}

// Older records lack these.
void read_process(const Json& object, Conditions& conditions) {
  if (!object.contains("environment")) return;
  conditions.environment = object.at("environment").get<std::map<std::string, std::string>>();
  read(object, "niceness", conditions.niceness);
  read(object, "processors", conditions.processors);
  read(object, "emulation", conditions.emulation);
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

std::string conditions_object(const Conditions& conditions) {
  const auto& reasons = conditions.throttle_reasons;
  const Json object = {
      {"clean", conditions.unclean.empty()},
      {"unclean", conditions.unclean.empty() ? Json() : Json(conditions.unclean)},
      {"sm_clock_mhz", json_of(conditions.sm_clock_mhz)},
      {"memory_clock_mhz", json_of(conditions.memory_clock_mhz)},
      {"highest_celsius", json_of(conditions.highest_celsius)},
      {"highest_watts", json_of(conditions.highest_watts)},
      {"throttle_reasons", reasons ? Json(driver::throttle_names(*reasons)) : Json()},
      {"other_programs", json_of(conditions.other_programs)},
      {"samples_redone", conditions.samples_redone},
      {"others_cpu_share", json_of(conditions.others_cpu_share)},
      {"governor", json_of(conditions.governor)},
      {"environment", conditions.environment},
      {"niceness", json_of(conditions.niceness)},
      {"processors", json_of(conditions.processors)},
      {"emulation", json_of(conditions.emulation)}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Conditions> recorded_conditions(const std::string& record) {
  const Json object = Json::parse(record, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return {};
  const auto found = object.find("conditions");
  if (found == object.end() || !found->is_object()) return {};
  try {
    Conditions conditions;
    std::optional<std::string> unclean;
    read(*found, "unclean", unclean);
    conditions.unclean = unclean.value_or("");
    read(*found, "sm_clock_mhz", conditions.sm_clock_mhz);
    read(*found, "memory_clock_mhz", conditions.memory_clock_mhz);
    read(*found, "highest_celsius", conditions.highest_celsius);
    read(*found, "highest_watts", conditions.highest_watts);
    std::optional<std::vector<std::string>> reasons;
    read(*found, "throttle_reasons", reasons);
    if (reasons) conditions.throttle_reasons = driver::throttle_named(*reasons);
    read(*found, "other_programs", conditions.other_programs);
    conditions.samples_redone = found->at("samples_redone").get<int>();
    read(*found, "others_cpu_share", conditions.others_cpu_share);
    read(*found, "governor", conditions.governor);
    read_process(*found, conditions);
    return conditions;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace autokernel::cli
