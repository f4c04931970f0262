#include "autokernel/cases/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <string_view>

#include "autokernel/base/error.h"

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

// The value that stands without quotes at the place where the parser gave up: a name or a formula
// in it ("N", "2*N"). Empty where it is none: a number, a date, true in capitals.
std::string unquoted_value(std::string_view text, Place place) {
  for (int line = 1; line < place.line; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  constexpr std::string_view kSigns = "_*+-/()0123456789";
  const auto is_of_value = [&](char c) {
    return is_letter(c) || kSigns.find(c) != std::string_view::npos;
  };
  std::size_t begin =
      std::min(static_cast<std::size_t>(std::max(place.column - 1, 0)), text.size());
  std::size_t end = begin;
  while (begin > 0 && is_of_value(text[begin - 1])) --begin;
  while (end < text.size() && is_of_value(text[end])) ++end;
  const std::string_view value = text.substr(begin, end - begin);
  const std::size_t before = text.substr(0, begin).find_last_not_of(" \t");
  const bool stands_as_value = before != std::string_view::npos &&
                               std::string_view("=[,").find(text[before]) != std::string_view::npos;
  if (!stands_as_value || value.empty() || value == "True" || value == "False") return {};
  const bool is_formula = value.find_first_of("*/(") != std::string_view::npos;
  const bool has_letter = std::ranges::any_of(value, is_letter);
  return has_letter && (is_letter(value.front()) || is_formula) ? std::string(value)
                                                                : std::string();
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

// toml++ calls itself once for each part of a dotted key, and a stack has an end.
void refuse_long_keys(const std::string& text, const std::string& file) {
  constexpr std::ptrdiff_t kMostDots = 1000;  // in a line; keys have one
  std::size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = text.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::count(first, last, '.') > kMostDots) {
      throw Error(Stop::usage,
                  fmt::format("{}:{}:1: the line has more than {} dots; make it shorter", file,
                              line, kMostDots));
    }
    begin = end + 1;
  }
}

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
    const Place place = placed_at(error.source().begin);
    if (const std::string value = unquoted_value(text, place); !value.empty()) {
      const std::string name = shown(value);
      throw BadToml(place, fmt::format("{0} is not in quotes; write \"{0}\"", name));
    }
    throw BadToml(place, one_line(error.description()));
  }
}

Value parse_toml_file(const std::string& text, const std::string& file) {
  refuse_long_keys(text, file);
  try {
    return parse_toml(text);
  } catch (const BadToml& error) {
    const bool is_tensor =
        std::string_view(error.what()).find("existing table 'tensor'") != std::string_view::npos;
    throw Error(Stop::usage,
                fmt::format("{}: not valid TOML: {}{}", text_of(file, error.place()), error.what(),
                            is_tensor ? "; write each as [[tensor]], in double brackets" : ""));
  }
}

}  // namespace autokernel::cases
