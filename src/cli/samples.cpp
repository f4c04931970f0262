#include "cli/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"

namespace autokernel::cli {
namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] std::vector<double> list_at(const Json& object, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  const Json found = object.contains(place) ? object.at(place) : Json();
  const auto is_number = [](const Json& value) { return value.is_number(); };
  if (!found.is_array() || !std::ranges::all_of(found, is_number)) return {};
  return found.get<std::vector<double>>();
}

}  // namespace

std::string samples_text(const std::string& record) {
  const Json object = Json::parse(record, nullptr, /*allow_exceptions=*/false);
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  if (object.is_object()) {
    columns = {{"kernel_us", list_at(object, "/samples_us")},
               {"against_us", list_at(object, "/comparison/against_samples_us")},
               {"reference_us", list_at(object, "/reference_samples_us")}};
  }
  if (columns.empty() || columns[0].second.empty()) {
    throw Error(Stop::usage, "this experiment has no samples: it was not timed");
  }
  std::string text = "n";
  std::erase_if(columns, [](const auto& column) { return column.second.empty(); });
  for (const auto& [name, values] : columns) text += "\t" + name;
  text += '\n';
  std::size_t count = 0;
  for (const auto& [name, values] : columns) count = std::max(count, values.size());
  for (std::size_t i = 0; i < count; ++i) {
    text += std::to_string(i + 1);
    for (const auto& [name, values] : columns) {
      text += i < values.size() ? fmt::format("\t{:.3f}", values[i]) : "\t";
    }
    text += '\n';
  }
  return text;
}

}  // namespace autokernel::cli
