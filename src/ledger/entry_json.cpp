// The format of ledger.jsonl, one JSON object per line:
//
//   {"schema_version":1,"kind":"run_started"|"experiment"|"turn"|"run_finished", ...fields...}
//
// with the names of the C++ fields (fields.h), in their order. What does not exist is null: an
// optional without a value, an empty text, a number that is none. docs/ledger.md tells readers.
#include "ledger/entry_json.h"

#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"
#include "ledger/fields.h"
#include "ledger/figure_range.h"
#include "ledger/status.h"

namespace autokernel::ledger {
namespace {

using document::Json;
using document::Unreadable;

[[nodiscard]] Error no_object() {
  return {Stop::internal,
          "cannot write an experiment into the ledger: its result is no JSON object"};
}

}  // namespace

[[nodiscard]] static std::string represent(Status status) { return spelling(status); }
[[nodiscard]] static bool restore(const std::string& text, Status& status) {
  const std::optional<Status> spelled = status_spelled(text);
  status = spelled.value_or(status);
  return spelled.has_value();
}

template <typename Text>
[[nodiscard]] Json represent(const Measurement<Text>& measurement) {
  if (measurement.json.empty()) return nullptr;
  try {
    std::optional<Json> object = document::parsed(valid_utf8(measurement.json));
    if (!object || !object->is_object()) throw no_object();
    return std::move(*object);
  } catch (const Unreadable&) {
    throw no_object();
  }
}
[[nodiscard]] static bool restore(const Json& json, const Measurement<std::string>& measurement) {
  measurement.json = json.is_null() ? "" : json.dump();
  return json.is_null() || json.is_object();
}

namespace {

template <typename... Kinds>
[[nodiscard]] std::optional<std::variant<Kinds...>> read_as(
    const std::string& kind, const Json& object,
    std::type_identity<std::variant<Kinds...>> /*of*/) {
  std::optional<std::variant<Kinds...>> entry;
  const auto read_if = [&]<typename Kind>(std::type_identity<Kind>) {
    if (kind == kKind<Kind>)
      document::Reader::read(object, entry.emplace().template emplace<Kind>());
  };
  (read_if(std::type_identity<Kinds>{}), ...);
  return entry;
}

[[nodiscard]] ParsedLine entry_in(const Json& object) {
  if (!object.is_object()) return Damage{"it is not a JSON object"};
  const auto version = object.find("schema_version");
  if (version == object.end() || !version->is_number_integer() || *version < 1) {
    return Damage{"it has no schema_version"};
  }
  if (*version > kSchemaVersion) return LaterVersion{version->get<long long>()};
  const auto kind = object.find("kind");
  if (kind == object.end() || !kind->is_string()) return Damage{"it has no kind"};
  auto entry = read_as(kind->get<std::string>(), object, std::type_identity<Entry>{});
  if (!entry) return Damage{"its kind is unknown"};
  const auto* experiment = std::get_if<Experiment>(&*entry);
  if (experiment != nullptr && experiment->median_us && !is_in_range(*experiment->median_us)) {
    return Damage{"its median_us is no time"};
  }
  return std::move(*entry);
}

}  // namespace

std::string line_of(const Entry& entry) {
  Json object = {{"schema_version", kSchemaVersion}};
  std::visit(
      [&]<typename Kind>(const Kind& value) {
        object["kind"] = kKind<Kind>;
        document::Writer::add_fields(object, value);
      },
      entry);
  return object.dump() + '\n';
}

std::string lines_of(const std::vector<Entry>& entries) {
  std::string lines;
  for (const Entry& entry : entries) lines += line_of(entry);
  return lines;
}

ParsedLine parse_line(std::string_view line) {
  try {
    const std::optional<Json> json = document::parsed(line);
    if (!json) return Damage{"it is not JSON"};
    return entry_in(*json);
  } catch (const Unreadable& unreadable) {
    return Damage{unreadable.why};
  }
}

Entry entry_of(std::string_view line) {
  ParsedLine parsed = parse_line(line);
  if (auto* entry = std::get_if<Entry>(&parsed)) return std::move(*entry);
  throw Error(Stop::internal, "cannot read an entry of the ledger: the line has none");
}

}  // namespace autokernel::ledger
