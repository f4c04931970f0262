// JSON texts, as values. worker.cpp, which is fixed, uses parse() and what is public in Value; all
// else may change.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace json {

enum class Kind { null, boolean, number, string, array, object };

class Value {
 public:
  using Array = std::vector<Value>;
  // Anything will do over which `for (const auto& [name, value] : object)` goes in the order of the
  // names' bytes, and in which each name is there once.
  using Object = std::map<std::string, Value>;

  Value() = default;
  explicit Value(bool boolean) : held_(boolean) {}
  explicit Value(double number) : held_(number) {}
  explicit Value(const std::string& string) : held_(string) {}
  explicit Value(const Array& array) : held_(array) {}
  explicit Value(const Object& object) : held_(object) {}

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(held_.index()); }
  // Each for a value of that kind.
  [[nodiscard]] bool boolean() const { return std::get<bool>(held_); }
  [[nodiscard]] double number() const { return std::get<double>(held_); }
  [[nodiscard]] const std::string& string() const { return std::get<std::string>(held_); }
  [[nodiscard]] const Array& array() const { return std::get<Array>(held_); }
  [[nodiscard]] const Object& object() const { return std::get<Object>(held_); }

 private:
  std::variant<std::monostate, bool, double, std::string, Array, Object> held_;  // as in Kind
};

// The value of a text, or nothing if it is no JSON (RFC 8259). Of equal names in an object, the
// last one counts. Also refused: more than 512 arrays and objects in each other, numbers beyond the
// largest double, surrogates that are not a pair, and invalid UTF-8. Strings are UTF-8; numbers are
// the nearest double. `text` outlives the value.
[[nodiscard]] std::optional<Value> parse(std::string_view text);

}  // namespace json
