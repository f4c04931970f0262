// JSON for people and other programs: objects with the fields of our structs (fields.h), in their
// order. What does not exist is null: an optional without a value, an empty text, a number that is
// none. Only for the .cpp files that define a format: nlohmann-json is heavy.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autokernel/base/fields.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::document {

using Json = nlohmann::ordered_json;

// Ours have five levels. Writing a value takes a stack frame for each, which a damaged text must
// not be able to use up.
inline constexpr int kDeepest = 64;

// Thrown for a text that is not the document it should be.
struct Unreadable {
  std::string why;
};

// None where the text is not JSON. Throws Unreadable where it is nested too deeply.
[[nodiscard]] inline std::optional<Json> parsed(std::string_view text) {
  const auto within_depth = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kDeepest) throw Unreadable{"it is nested too deeply"};
    return true;
  };
  Json json = Json::parse(text, within_depth, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

// A value that stands for another in a document, such as the name of an enumerator:
//   std::string represent(const Status&);            how it is written
//   bool restore(const std::string&, Status&);       false: it stands for none
// in the namespace of its type.
template <typename Value>
concept Represented = requires(const Value& value) { represent(value); };

struct Writer {
  template <std::same_as<Json> Value>
  static Json json(Value value) {
    return value;
  }
  static Json json(std::integral auto value) { return value; }
  static Json json(double value) { return std::isfinite(value) ? Json(value) : Json(); }
  static Json json(const std::string& value) {
    return value.empty() ? Json() : Json(valid_utf8(value));
  }
  static Json json(const std::filesystem::path& value) { return json(value.string()); }
  template <Represented Value>
  static Json json(const Value& value) {
    return json(represent(value));
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
    visit_fields(Fields{object}, value);
  }

 private:
  struct Fields {
    Json& object;
    void operator()(const char* name, const auto& field) const { object[name] = json(field); }
    void derived(const char* name, const auto& work_out) const { object[name] = json(work_out()); }
    void internal(const char* /*name*/, const auto& /*field*/) const {}
  };
};

// Further fields are ignored; one that is missing is taken as null. Each read() throws Unreadable,
// or what nlohmann-json throws for a value of another type.
struct Reader {
  static void read(const Json& json, Json& value) { value = json; }
  static void read(const Json& json, bool& value) { json.get_to(value); }
  template <std::integral Integer>
  static void read(const Json& json, Integer& value) {
    const bool fits =
        json.is_number_integer() &&
        (json.is_number_unsigned() ? std::in_range<Integer>(json.get<std::uint64_t>())
                                   : std::in_range<Integer>(json.get<std::int64_t>()));
    if (!fits) throw Unreadable{"it is not a whole number in range"};
    json.get_to(value);
  }
  static void read(const Json& json, double& value) {
    if (json.is_null()) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      // Left to itself, the library takes true for 1.
      if (!json.is_number()) throw Unreadable{"it is not a number"};
      json.get_to(value);
    }
  }
  static void read(const Json& json, std::string& value) {
    value.clear();
    if (!json.is_null()) json.get_to(value);
  }
  static void read(const Json& json, std::filesystem::path& value) {
    std::string text;
    read(json, text);
    value = text;
  }
  template <Represented Value>
  static void read(const Json& json, Value&& value) {
    decltype(represent(value)) represented;
    read(json, represented);
    if (!restore(represented, value)) throw Unreadable{"it is unknown"};
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
    if (!json.is_array()) throw Unreadable{"it is not a list"};
    for (const Json& value : json) read(value, values.emplace_back());
  }
  template <typename Value>
  static void read(const Json& json, std::map<std::string, Value>& values) {
    values.clear();
    if (json.is_null()) return;
    if (!json.is_object()) throw Unreadable{"it is not an object"};
    for (const auto& [name, value] : json.items()) read(value, values[name]);
  }
  template <HasFields Object>
  static void read(const Json& json, Object& object) {
    if (!json.is_object()) throw Unreadable{"it is not an object"};
    visit_fields(Fields{json}, object);
  }

 private:
  struct Fields {
    const Json& object;
    void operator()(const char* name, auto&& field) const {
      const auto found = object.find(name);
      static const Json absent;
      try {
        read(found == object.end() ? absent : *found, field);
      } catch (const Json::exception&) {
        throw Unreadable{std::string("'") + name + "' is of another type"};
      } catch (const Unreadable& unreadable) {
        throw Unreadable{std::string("'") + name + "': " + unreadable.why};
      }
    }
    void derived(const char* /*name*/, const auto& /*work_out*/) const {}
    void internal(const char* /*name*/, const auto& /*field*/) const {}
  };
};

}  // namespace autokernel::document
