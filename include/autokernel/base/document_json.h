// JSON for people and other programs: objects with the fields of our structs (fields.h), in their
// order. What does not exist is null: an optional without a value, a number that is none, and a
// field that is an empty text, unless the format is exact; an empty text in a list, a map or an
// optional is one. Only for the .cpp files that define a format: nlohmann-json is heavy.
#pragma once

#include <array>
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

// Thrown for a text that is not the document it should be.
struct Unreadable {
  std::string why;
};

// None where the text is not JSON. Throws Unreadable where it is nested too deeply, or has more
// values than any document of ours.
[[nodiscard]] std::optional<Json> parsed(std::string_view text);

// What nlohmann-json found, without its label: "key 'keys' not found".
[[nodiscard]] std::string why(const Json::exception& error);

// The object, and the end of the line. Bytes that are no UTF-8 are replaced: what a compiler quotes
// may hold anything.
[[nodiscard]] std::string line(const Json& object);

// What a format makes of a field that is empty or missing.
enum class Empty : std::uint8_t {
  is_null,  // an empty text is null, and a missing field is taken for null
  exact     // an empty text is "", no field is missing, and only an optional may be null
};

template <Empty kEmpty>
struct BasicWriter {
  template <std::same_as<Json> Value>
  static Json json(Value value) {
    return value;
  }
  static Json json(std::integral auto value) { return value; }
  static Json json(double value) { return std::isfinite(value) ? Json(value) : Json(); }
  static Json json(const std::string& value) {
    return value.empty() && kEmpty == Empty::is_null ? Json() : element(value);
  }
  static Json json(const std::filesystem::path& value) { return json(value.string()); }
  template <Represented Value>
  static Json json(const Value& value) {
    return json(represent(value));
  }
  template <typename Value>
  static Json json(const std::optional<Value>& value) {
    return value ? element(*value) : Json();
  }
  template <typename Value>
  static Json json(const std::vector<Value>& values) {
    return list(values);
  }
  template <typename Value, std::size_t kSize>
  static Json json(const std::array<Value, kSize>& values) {
    return list(values);
  }
  template <typename Value>
  static Json json(const std::map<std::string, Value>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[valid_utf8(name)] = element(value);
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
  static Json element(const std::string& value) {
    return kEmpty == Empty::exact ? value : valid_utf8(value);
  }
  static Json element(const auto& value) { return json(value); }
  static Json list(const auto& values) {
    Json array = Json::array();
    for (const auto& value : values) array.push_back(element(value));
    return array;
  }

  struct Fields {
    Json& object;
    void operator()(const char* name, const auto& field) const { object[name] = json(field); }
    void derived(const char* name, const auto& work_out) const { object[name] = json(work_out()); }
    void internal(const char* /*name*/, const auto& /*field*/) const {}
  };
};
using Writer = BasicWriter<Empty::is_null>;
// Leaves bytes that are no UTF-8 to line().
using ExactWriter = BasicWriter<Empty::exact>;

// Further fields are ignored. Each read() throws Unreadable, or what nlohmann-json throws for a
// value of another type.
template <Empty kEmpty>
struct BasicReader {
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
    if (is_absent(json)) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      // Left to itself, the library takes true for 1.
      if (!json.is_number()) throw Unreadable{"it is not a number"};
      json.get_to(value);
    }
  }
  static void read(const Json& json, std::string& value) {
    value.clear();
    if (!is_absent(json)) json.get_to(value);
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
    if (is_absent(json)) return;
    if (!json.is_array()) throw Unreadable{"it is not a list"};
    for (const Json& value : json) read(value, values.emplace_back());
  }
  template <typename Value, std::size_t kSize>
  static void read(const Json& json, std::array<Value, kSize>& values) {
    if (!json.is_array() || json.size() != kSize) {
      throw Unreadable{"it is not a list of " + std::to_string(kSize)};
    }
    for (std::size_t i = 0; i < kSize; ++i) read(json[i], values[i]);
  }
  template <typename Value>
  static void read(const Json& json, std::map<std::string, Value>& values) {
    values.clear();
    if (is_absent(json)) return;
    if (!json.is_object()) throw Unreadable{"it is not an object"};
    for (const auto& [name, value] : json.items()) read(value, values[name]);
  }
  template <HasFields Object>
  static void read(const Json& json, Object& object) {
    if (!json.is_object()) throw Unreadable{"it is not an object"};
    visit_fields(Fields{json}, object);
  }

 private:
  static bool is_absent(const Json& json) { return json.is_null() && kEmpty == Empty::is_null; }

  struct Fields {
    const Json& object;
    void operator()(const char* name, auto&& field) const {
      const auto found = object.find(name);
      static const Json absent;
      if (found == object.end() && kEmpty == Empty::exact) {
        throw Unreadable{std::string("it has no '") + name + "'"};
      }
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
using Reader = BasicReader<Empty::is_null>;
using ExactReader = BasicReader<Empty::exact>;

}  // namespace autokernel::document
