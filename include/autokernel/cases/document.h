// A TOML document as plain values that remember their place. The TOML library stays behind this
// header, in document.cpp.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace autokernel::cases {

struct Value;
using Array = std::vector<Value>;
using Table = std::map<std::string, Value>;
struct Moment {};  // a date or a time: TOML has them, no key of a case takes one

// Line and column, both from 1; 0 where the file does not say.
struct Place {
  int line = 0;
  int column = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};
// "case.toml:12:8", as editors understand it.
[[nodiscard]] std::string text_of(const std::string& file, Place place);

struct Value {
  Place place;
  Place key;  // of the key it belongs to; that of the value where there is none
  std::variant<bool, std::int64_t, double, std::string, Array, Table, Moment> data;
};

// As it may stand in a message: of one line, cut where it is long.
[[nodiscard]] std::string shown(std::string_view text);
// What a message calls the value: "the text "bf61"", "the number 3", "a table".
[[nodiscard]] std::string describe(const Value& value);

class BadToml : public std::runtime_error {
 public:
  BadToml(Place place, const std::string& what) : std::runtime_error(what), place_(place) {}
  [[nodiscard]] Place place() const noexcept { return place_; }

 private:
  Place place_;
};

// The document's root, always a Table. Throws BadToml where the text is no TOML.
[[nodiscard]] Value parse_toml(const std::string& text);
// The same for what a file says. Throws Error(usage), "FILE:LINE:COLUMN: not valid TOML: ...", also
// for a line that would have the TOML library run out of stack. The caller limits the length.
[[nodiscard]] Value parse_toml_file(const std::string& text, const std::string& file);

}  // namespace autokernel::cases
