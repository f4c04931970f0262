// The format of ledger.jsonl, one JSON object per line:
//
//   {"schema_version":1,"kind":"run_started"|"experiment"|"turn"|"run_finished", ...fields...}
//
// with the names of the C++ fields (fields.h), in their order. What does not exist is null: an
// optional without a value, an empty text, a number that is none. docs/ledger.md tells readers.
#include "ledger/entry_json.h"

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"
#include "ledger/fields.h"
#include "ledger/status.h"

namespace autokernel::ledger {
namespace {

using Json = nlohmann::ordered_json;

// Ours have five levels. Writing a value takes a stack frame for each, which a damaged line must
// not be able to use up.
constexpr int kDeepest = 64;

struct NotAnEntry {
  std::string why;
};

// None where the text is not JSON. Throws NotAnEntry where it is nested too deeply.
[[nodiscard]] std::optional<Json> parsed(std::string_view text) {
  const auto within_depth = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kDeepest) throw NotAnEntry{"it is nested too deeply"};
    return true;
  };
  Json json = Json::parse(text, within_depth, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

[[nodiscard]] Error no_object() {
  return {Stop::internal,
          "cannot write an experiment into the ledger: its result is no JSON object"};
}

struct Writer {
  static Json json(std::integral auto value) { return value; }
  static Json json(double value) { return std::isfinite(value) ? Json(value) : Json(); }
  static Json json(const std::string& value) {
    return value.empty() ? Json() : Json(valid_utf8(value));
  }
  static Json json(Status value) { return spelling(value); }
  static Json json(const Measurement<const std::string>& value) {
    if (value.json.empty()) return nullptr;
    try {
      std::optional<Json> object = parsed(valid_utf8(value.json));
      if (!object || !object->is_object()) throw no_object();
      return std::move(*object);
    } catch (const NotAnEntry&) {
      throw no_object();
    }
  }
  template <typename Value>
  static Json json(const std::optional<Value>& value) {
    return value ? json(*value) : Json();
  }
  template <typename Value>
  static Json json(const std::vector<Value>& values) {
    Json array = Json::array();
    for (const Value& value : values) array.push_back(json(value));
    return array;
  }
  template <typename Value>
  static Json json(const std::map<std::string, Value>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[valid_utf8(name)] = json(value);
    return object;
  }
  template <HasFields Object>
  static Json json(const Object& value) {
    Json object = Json::object();
    add_fields(object, value);
    return object;
  }
  template <HasFields Object>
  static void add_fields(Json& object, const Object& value) {
    visit_fields([&](const char* name, const auto& field) { object[name] = json(field); }, value);
  }
};

// Each read() throws NotAnEntry, or what nlohmann-json throws for a value of another type.
struct Reader {
  template <std::integral Integer>
  static void read(const Json& json, Integer& value) {
    const bool fits =
        json.is_number_integer() &&
        (json.is_number_unsigned() ? std::in_range<Integer>(json.get<std::uint64_t>())
                                   : std::in_range<Integer>(json.get<std::int64_t>()));
    if (!fits) throw NotAnEntry{"it is not a whole number in range"};
    json.get_to(value);
  }
  static void read(const Json& json, double& value) {
    if (json.is_null()) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      // Left to itself, the library takes true for 1.
      if (!json.is_number()) throw NotAnEntry{"it is not a number"};
      json.get_to(value);
    }
  }
  static void read(const Json& json, std::string& value) {
    value.clear();
    if (!json.is_null()) json.get_to(value);
  }
  static void read(const Json& json, Status& value) {
    const auto status = status_spelled(json.get_ref<const std::string&>());
    if (!status) throw NotAnEntry{"unknown status"};
    value = *status;
  }
  static void read(const Json& json, const Measurement<std::string>& value) {
    value.json.clear();
    if (json.is_null()) return;
    if (!json.is_object()) throw NotAnEntry{"it is not an object"};
    value.json = json.dump();
  }
  template <typename Value>
  static void read(const Json& json, std::optional<Value>& value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace());
  }
  template <typename Value>
  static void read(const Json& json, std::vector<Value>& values) {
    values.clear();
    if (json.is_null()) return;
    if (!json.is_array()) throw NotAnEntry{"it is not a list"};
    for (const Json& value : json) read(value, values.emplace_back());
  }
  template <typename Value>
  static void read(const Json& json, std::map<std::string, Value>& values) {
    values.clear();
    if (json.is_null()) return;
    if (!json.is_object()) throw NotAnEntry{"it is not an object"};
    for (const auto& [name, value] : json.items()) read(value, values[name]);
  }
  template <HasFields Object>
  static void read(const Json& json, Object& object) {
    if (!json.is_object()) throw NotAnEntry{"it is not an object"};
    visit_fields(
        [&](const char* name, auto&& field) {
          const auto found = json.find(name);
          static const Json absent;
          try {
            read(found == json.end() ? absent : *found, field);
          } catch (const Json::exception&) {
            throw NotAnEntry{std::string("'") + name + "' is of another type"};
          } catch (const NotAnEntry& not_an_entry) {
            throw NotAnEntry{std::string("'") + name + "': " + not_an_entry.why};
          }
        },
        object);
  }
};

template <typename... Kinds>
[[nodiscard]] std::optional<std::variant<Kinds...>> read_as(
    const std::string& kind, const Json& object,
    std::type_identity<std::variant<Kinds...>> /*of*/) {
  std::optional<std::variant<Kinds...>> entry;
  const auto read_if = [&]<typename Kind>(std::type_identity<Kind>) {
    if (kind == kKind<Kind>) Reader::read(object, entry.emplace().template emplace<Kind>());
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
  return std::move(*entry);
}

}  // namespace

std::string line_of(const Entry& entry) {
  Json object = {{"schema_version", kSchemaVersion}};
  std::visit(
      [&]<typename Kind>(const Kind& value) {
        object["kind"] = kKind<Kind>;
        Writer::add_fields(object, value);
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
    const std::optional<Json> json = parsed(line);
    if (!json) return Damage{"it is not JSON"};
    return entry_in(*json);
  } catch (const NotAnEntry& not_an_entry) {
    return Damage{not_an_entry.why};
  }
}

Entry entry_of(std::string_view line) {
  ParsedLine parsed = parse_line(line);
  if (auto* entry = std::get_if<Entry>(&parsed)) return std::move(*entry);
  throw Error(Stop::internal, "cannot read an entry of the ledger: the line has none");
}

}  // namespace autokernel::ledger
