// An object in JSON that somebody else wrote: its members, or an Error(usage) that names the file,
// and where in it something is missing or of another type.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::bridge {

class JsonEntry {
 public:
  JsonEntry(std::string where, const document::Json& json) : where_(std::move(where)), json_(json) {
    if (!json.is_object()) fail("is not an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Stop::usage, fmt::format("cannot use {}: it {}", visible_line(where_), what));
  }

  [[nodiscard]] bool has(const char* key) const {
    const auto found = json_.find(key);
    return found != json_.end() && !found->is_null();
  }
  [[nodiscard]] const document::Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("has no \"{}\"", key));
    return *found;
  }
  [[nodiscard]] std::string text(const char* key) const {
    if (!at(key).is_string()) fail(fmt::format("has a \"{}\" that is no text", key));
    return at(key).get<std::string>();
  }
  [[nodiscard]] std::string text_or_none(const char* key) const {
    return has(key) ? text(key) : "";
  }
  [[nodiscard]] double number(const char* key) const {
    const document::Json& value = at(key);
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (!value.is_number()) fail(fmt::format("has a \"{}\" that is no number", key));
    return value.get<double>();
  }
  [[nodiscard]] double number_or(const char* key, double otherwise) const {
    return has(key) ? number(key) : otherwise;
  }
  [[nodiscard]] std::int64_t count(const char* key) const {
    constexpr double kMost = 1099511627776.0;  // 2^40, of a case
    const document::Json& value = at(key);
    if (!value.is_number_integer() || number(key) < 0 || number(key) > kMost)
      fail(fmt::format("has a \"{}\" that is no whole number from 0 to 2^40", key));
    return value.get<std::int64_t>();
  }
  // What each member of an object is.
  template <typename Take>
  void each(const char* key, const Take& take) const {
    if (!at(key).is_object()) fail(fmt::format("has a \"{}\" that is no object", key));
    for (const auto& [name, value] : at(key).items())
      take(name, JsonEntry(fmt::format("{}, {} {}", where_, key, name), value));
  }
  [[nodiscard]] JsonEntry inner(const char* key) const {
    return {fmt::format("{}, {}", where_, key), at(key)};
  }

 private:
  std::string where_;
  const document::Json& json_;
};

// Throws Error(usage) for a text that is no JSON.
[[nodiscard]] inline document::Json parsed_entry(const std::string& where,
                                                 const std::string& text) {
  std::string why = "it is no JSON";
  try {
    if (auto json = document::parsed(text)) return *std::move(json);
  } catch (const document::Unreadable& unreadable) {
    why = unreadable.why;
  }
  throw Error(Stop::usage, fmt::format("cannot use {}: {}", visible_line(where), why));
}

}  // namespace autokernel::bridge
