#include "cases/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <type_traits>

namespace autokernel::cases {
namespace {

// Longer texts are cut in messages: a message is one line.
constexpr std::size_t kShownText = 60;

Value converted(const toml::node& node) {
  Value value;
  value.line = static_cast<int>(node.source().begin.line);
  if (const toml::table* table = node.as_table()) {
    Table out;
    for (const auto& [key, child] : *table) {
      Value& entry = out[std::string(key.str())] = converted(child);
      // A table that is only implied by a longer header ([sizes] by [sizes.check]) has no place of
      // its own.
      if (entry.line == 0) entry.line = static_cast<int>(key.source().begin.line);
    }
    value.data = std::move(out);
  } else if (const toml::array* array = node.as_array()) {
    Array out;
    for (const toml::node& child : *array) out.push_back(converted(child));
    value.data = std::move(out);
  } else if (const auto* text = node.as_string()) {
    value.data = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* truth = node.as_boolean()) {
    value.data = truth->get();
  } else {
    value.data = Moment{};
  }
  return value;
}

struct Describe {
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const {
    std::string shown;
    for (const char c : text.substr(0, kShownText)) {
      shown += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    return fmt::format("\"{}{}\"", shown, text.size() > kShownText ? "..." : "");
  }
  std::string operator()(const Array& array) const {
    return array.empty() ? "an empty list" : "a list";
  }
  std::string operator()(const Table&) const { return "a table"; }
  std::string operator()(Moment) const { return "a date or time"; }
};

}  // namespace

std::string describe(const Value& value) { return std::visit(Describe{}, value.data); }

Value parse_toml(const std::string& text) {
  try {
    return converted(toml::parse(text));
  } catch (const toml::parse_error& error) {
    throw BadToml(static_cast<int>(error.source().begin.line), std::string(error.description()));
  }
}

}  // namespace autokernel::cases
