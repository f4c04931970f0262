#include "cases/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <string_view>

namespace autokernel::cases {
namespace {

// Longer texts are cut in messages: a message is one line.
constexpr std::size_t kShownText = 60;

Place placed_at(const toml::source_position& position) {
  return {static_cast<int>(position.line), static_cast<int>(position.column)};
}

Value converted(const toml::node& node) {
  Value value;
  value.place = placed_at(node.source().begin);
  value.key = value.place;
  if (const toml::table* table = node.as_table()) {
    Table out;
    for (const auto& [key, child] : *table) {
      Value& entry = out[std::string(key.str())] = converted(child);
      entry.key = placed_at(key.source().begin);
      // A table that is only implied by a longer header ([sizes] by [sizes.check]) has no place of
      // its own.
      if (entry.place.line == 0) entry.place = entry.key;
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

// Whatever stood in the file may stand in the library's message; ours are of one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  return line;
}

// Cut between characters: half of one is no UTF-8.
std::string_view shortened(std::string_view text) {
  std::size_t end = std::min(text.size(), kShownText);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && end < text.size() && continues(end)) --end;
  return text.substr(0, end);
}

struct Describe {
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return '"' + shown(text) + '"'; }
  std::string operator()(const Array& array) const {
    return array.empty() ? "an empty list" : "a list";
  }
  std::string operator()(const Table&) const { return "a table"; }
  std::string operator()(Moment) const { return "a date or time"; }
};

}  // namespace

std::string text_of(const std::string& file, Place place) {
  if (place.line == 0) return file;
  if (place.column == 0) return fmt::format("{}:{}", file, place.line);
  return fmt::format("{}:{}:{}", file, place.line, place.column);
}

std::string shown(std::string_view text) {
  const std::string_view beginning = shortened(text);
  return one_line(beginning) + (beginning.size() < text.size() ? "..." : "");
}

std::string describe(const Value& value) { return std::visit(Describe{}, value.data); }

Value parse_toml(const std::string& text) {
  try {
    return converted(toml::parse(text));
  } catch (const toml::parse_error& error) {
    throw BadToml(placed_at(error.source().begin), one_line(error.description()));
  }
}

}  // namespace autokernel::cases
