#include "trial/command/metric_reading.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "autokernel/base/json_bounds.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/number_in_output.h"

namespace autokernel::trial {
namespace {

using nlohmann::json;

// A page of figures, and some series of samples.
constexpr document::JsonBounds kBounds = {.deepest = 64, .most_values = 1'000'000};

[[nodiscard]] std::optional<json> parsed(std::string_view text) {
  if (document::excess_of(text, kBounds) != nullptr) return std::nullopt;
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

// A whole file, or of what was printed the last line that is an object.
[[nodiscard]] std::optional<json> object_in(std::string_view text, bool is_file) {
  if (is_file) return parsed(text);
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t newline = text.rfind('\n', end - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view line = text.substr(begin, end - begin);
    if (line.find('{') != std::string_view::npos) {
      if (auto value = parsed(line); value && value->is_object()) return value;
    }
    end = begin == 0 ? 0 : begin - 1;
  }
  return std::nullopt;
}

[[nodiscard]] std::string place_of(const std::string& file) {
  return file.empty() ? "standard output" : file;
}

// Null where the file is not there, which is refused before.
[[nodiscard]] const std::string& text_of(const CommandOutputs& outputs, const std::string& file) {
  static const std::string nothing;
  if (file.empty()) return outputs.printed;
  const auto found = outputs.files.find(file);
  return found == outputs.files.end() ? nothing : found->second;
}

[[nodiscard]] MetricReading read_member(const json& object, const std::string& path,
                                        const std::string& place) {
  json::json_pointer pointer;
  try {
    pointer = json::json_pointer(path);
  } catch (const json::exception&) {
    return {.fault = fmt::format("has no JSON pointer: '{}' is none", path)};
  }
  if (!object.contains(pointer))
    return {.fault = fmt::format("cannot be read: the JSON in {} has no {}", place, path)};
  const json& member = object.at(pointer);
  if (!member.is_number())
    return {.fault = fmt::format("is no number: {} in {} is {}", path, place, member.type_name())};
  return {.value = member.get<double>(), .fault = {}};
}

[[nodiscard]] MetricReading read_from(const cases::JsonNumber& source,
                                      const CommandOutputs& outputs) {
  const auto object = object_in(text_of(outputs, source.file), !source.file.empty());
  if (!object) {
    return {.fault = fmt::format(
                "cannot be read: {} {}", place_of(source.file),
                source.file.empty() ? "has no line that is a JSON object" : "is not JSON")};
  }
  double logarithms = 0;
  for (const std::string& pointer : source.pointers) {
    MetricReading one = read_member(*object, pointer, place_of(source.file));
    if (!one.fault.empty() || source.pointers.size() == 1) return one;
    if (!std::isfinite(one.value) || one.value <= 0)
      return {.fault = fmt::format("has no geometric mean: {} is {}", pointer, one.value)};
    logarithms += std::log(one.value);
  }
  return {.value = std::exp(logarithms / static_cast<double>(source.pointers.size())), .fault = {}};
}

[[nodiscard]] MetricReading read_from(const cases::NumberInLine& source,
                                      const CommandOutputs& outputs) {
  const auto value =
      last_number(number_pattern("line =", source.pattern), text_of(outputs, source.file));
  if (value) return {.value = *value, .fault = {}};
  return {.fault = fmt::format("cannot be read: no line of {} has a number that '{}' fits",
                               place_of(source.file), source.pattern)};
}

[[nodiscard]] MetricReading read_from(const cases::WallTime& /*source*/,
                                      const CommandOutputs& outputs) {
  return {.value = outputs.seconds, .fault = {}};
}

[[nodiscard]] MetricReading read_from(const cases::CpuTime& /*source*/,
                                      const CommandOutputs& outputs) {
  return {.value = outputs.processor_seconds, .fault = {}};
}

}  // namespace

MetricReading read_metric(const cases::Metric& metric, const CommandOutputs& outputs) {
  MetricReading reading =
      std::visit([&](const auto& source) { return read_from(source, outputs); }, metric.source);
  if (!reading.fault.empty()) {
    reading.fault = visible_line(reading.fault);
  } else if (!std::isfinite(reading.value) || reading.value <= 0) {
    reading.fault =
        fmt::format("is {}; it must be a number above 0, as ratios are compared", reading.value);
  }
  return reading;
}

}  // namespace autokernel::trial
