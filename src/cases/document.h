// A TOML document as plain values that remember their line. The TOML library stays behind this
// header, in document.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace autokernel::cases {

struct Value;
using Array = std::vector<Value>;
using Table = std::map<std::string, Value>;
struct Moment {};  // a date or a time: TOML has them, no key of a case takes one

struct Value {
  int line = 0;  // 1 is the first; 0 where the file does not say
  std::variant<bool, std::int64_t, double, std::string, Array, Table, Moment> data;
};

// What a message calls the value: "the text "bf61"", "the number 3", "a table".
[[nodiscard]] std::string describe(const Value& value);

class BadToml : public std::runtime_error {
 public:
  BadToml(int line, const std::string& what) : std::runtime_error(what), line_(line) {}
  [[nodiscard]] int line() const noexcept { return line_; }

 private:
  int line_;
};

// The document's root, always a Table. Throws BadToml where the text is no TOML.
[[nodiscard]] Value parse_toml(const std::string& text);

}  // namespace autokernel::cases
