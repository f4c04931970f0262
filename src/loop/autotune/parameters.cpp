#include "loop/autotune/parameters.h"

#include <fmt/format.h>
#include <muParserInt.h>

#include <algorithm>
#include <set>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/normalized_source.h"
#include "autokernel/compile/source_text.h"

namespace autokernel::loop {
namespace {

constexpr std::string_view kParameter = "AUTOKERNEL_TUNE";
constexpr std::string_view kCondition = "AUTOKERNEL_TUNE_IF";
// More than anybody writes by hand.
constexpr std::size_t kMostParameters = 32;
constexpr std::size_t kMostValues = 256;

[[nodiscard]] std::string_view without_blanks_around(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Reads declarations from a text.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : text_(text), file_(file), readable_(compile::without_comments(text)) {}

  [[nodiscard]] TuneSpace space() {
    for (std::size_t at = 0; at < readable_.size();) {
      if (!compile::is_word_character(readable_[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < readable_.size() && compile::is_word_character(readable_[end])) ++end;
      const std::string_view word = std::string_view(readable_).substr(at, end - at);
      if (word == kParameter || word == kCondition) {
        at_ = at;
        end = word == kParameter ? parameter(end) : condition(end);
      }
      at = end;
    }
    return std::move(space_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    const auto line = 1 + std::ranges::count(text_.substr(0, at_), '\n');
    throw Error(Stop::usage, fmt::format("cannot tune {}:{}: {}", file_, line, why));
  }

  // What stands between the brackets behind `at`: its beginning and its end.
  [[nodiscard]] std::pair<std::size_t, std::size_t> in_brackets(std::size_t at) const {
    const std::size_t open = readable_.find_first_not_of(" \t\r\n", at);
    if (open == std::string::npos || readable_[open] != '(') fail("write it with brackets");
    int depth = 0;
    for (std::size_t end = open; end < readable_.size(); ++end) {
      if (readable_[end] == '(') ++depth;
      if (readable_[end] == ')' && --depth == 0) return {open + 1, end};
    }
    fail("its bracket is not closed");
  }

  std::size_t condition(std::size_t at) {
    const auto [begin, end] = in_brackets(at);
    const std::string_view written = std::string_view(readable_).substr(begin, end - begin);
    space_.conditions.emplace_back(without_blanks_around(written));
    return end;
  }

  std::size_t parameter(std::size_t at) {
    const auto [begin, end] = in_brackets(at);
    const std::string_view all = std::string_view(readable_).substr(begin, end - begin);
    const std::size_t comma = std::min(all.find(','), all.size());
    TuneParameter parameter{.name = std::string(without_blanks_around(all.substr(0, comma))),
                            .values = {},
                            .begin = std::min(begin + comma + 1, end),
                            .end = end};
    if (parameter.name.empty() || !std::ranges::all_of(parameter.name, compile::is_word_character))
      fail("write AUTOKERNEL_TUNE(NAME, 64, 128, 256)");
    if (std::ranges::find(space_.parameters, parameter.name, &TuneParameter::name) !=
        space_.parameters.end())
      fail(parameter.name + " is declared twice");
    std::set<double> known;
    for (std::size_t from = parameter.begin; from <= end && comma < all.size();) {
      const std::size_t to = std::min(readable_.find(',', from), end);
      const std::string value(
          without_blanks_around(std::string_view(readable_).substr(from, to - from)));
      if (!is_whole_number(value)) {
        fail(fmt::format("{} has the value '{}'; write whole numbers, such as 64 or 0x40",
                         parameter.name, visible_line(value)));
      }
      if (!known.insert(value_of(value)).second)
        fail(fmt::format("{} has the value {} twice", parameter.name, value));
      parameter.values.push_back(value);
      from = to + 1;
    }
    if (parameter.values.empty()) fail(parameter.name + " has no value");
    if (parameter.values.size() > kMostValues)
      fail(fmt::format("{} has more than {} values", parameter.name, kMostValues));
    if (space_.parameters.size() == kMostParameters)
      fail(fmt::format("there are more than {} parameters", kMostParameters));
    space_.parameters.push_back(std::move(parameter));
    return end;
  }

  std::string_view text_;
  const std::string& file_;
  std::string readable_;  // as long as the text
  std::size_t at_ = 0;    // of the declaration that is read
  TuneSpace space_;
};

// The text with something else in place of each list of values.
template <typename Values>
[[nodiscard]] std::string with_values(std::string_view source, const TuneSpace& space,
                                      const Values& values_of) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < space.parameters.size(); ++i) {
    const TuneParameter& parameter = space.parameters[i];
    text += source.substr(at, parameter.begin - at);
    text += values_of(i);
    at = parameter.end;
  }
  return text += source.substr(at);
}

}  // namespace

bool is_whole_number(std::string_view text) {
  if (text == "true" || text == "false") return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  constexpr std::size_t kMostDigits = 15;  // what a double holds
  return !text.empty() && text.size() <= kMostDigits && text.front() != '\'' &&
         text.back() != '\'' && std::ranges::all_of(text, [&](char c) {
           return (c >= '0' && c <= '9') || c == '\'' ||
                  (is_hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
         });
}

double value_of(const std::string& text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != '\''; });
  return static_cast<double>(std::stoll(digits, nullptr, 0));
}

TuneSpace tune_space_of(std::string_view source, const std::string& file) {
  return Reader(source, file).space();
}

std::string with_configuration(std::string_view source, const TuneSpace& space,
                               const Configuration& configuration) {
  return with_values(source, space, [&](std::size_t i) {
    const TuneParameter& parameter = space.parameters[i];
    const std::string& first = parameter.values[configuration[i]];
    std::vector<std::string> others;
    for (const std::string& value : parameter.values)
      if (value != first) others.push_back(value);
    std::ranges::sort(others, {}, value_of);
    std::string text = " " + first;
    for (const std::string& other : others) text += ", " + other;
    return text;
  });
}

std::string without_values(std::string_view source, const TuneSpace& space) {
  return compile::normalized(
      with_values(source, space, [](std::size_t) { return std::string(" 0"); }));
}

std::string configuration_text(const TuneSpace& space, const Configuration& configuration) {
  std::string text;
  for (std::size_t i = 0; i < space.parameters.size(); ++i) {
    const TuneParameter& parameter = space.parameters[i];
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", parameter.name,
                        parameter.values[configuration[i]]);
  }
  return text;
}

Configuration configuration_of(const TuneSpace& of_text, const TuneSpace& space) {
  Configuration configuration;
  if (of_text.parameters.size() != space.parameters.size()) return {};
  for (std::size_t i = 0; i < space.parameters.size(); ++i) {
    const auto& values = space.parameters[i].values;
    const auto found =
        std::ranges::find(values, value_of(of_text.parameters[i].values.front()), value_of);
    if (found == values.end()) return {};
    configuration.push_back(static_cast<std::size_t>(found - values.begin()));
  }
  return configuration;
}

// Parsed once: there may be a million configurations.
struct TuneConditions::Parsed {
  std::vector<std::vector<double>> values_of;  // by parameter
  std::vector<double> current;                 // which the parsers refer to
  std::vector<mu::ParserInt> conditions;
};

TuneConditions::TuneConditions(const TuneSpace& space, const std::map<std::string, double>& sizes)
    : parsed_(std::make_unique<Parsed>()) {
  parsed_->current.resize(space.parameters.size());
  for (const TuneParameter& parameter : space.parameters) {
    std::vector<double>& values = parsed_->values_of.emplace_back();
    for (const std::string& value : parameter.values) values.push_back(value_of(value));
    parsed_->current[parsed_->values_of.size() - 1] = values.front();
  }
  for (const std::string& condition : space.conditions) {
    try {
      mu::ParserInt parser;
      std::map<std::string, double> constants = sizes;
      constants["true"] = 1;
      constants["false"] = 0;
      for (std::size_t i = 0; i < space.parameters.size(); ++i) {
        constants.erase(space.parameters[i].name);
        parser.DefineVar(space.parameters[i].name, &parsed_->current[i]);
      }
      for (const auto& [name, value] : constants) parser.DefineConst(name, value);
      parser.SetExpr(condition);
      static_cast<void>(parser.Eval());
      parsed_->conditions.push_back(std::move(parser));
    } catch (const mu::ParserError& error) {
      left_.push_back({condition, error.GetMsg()});
    }
  }
}
TuneConditions::TuneConditions(TuneConditions&&) noexcept = default;
TuneConditions& TuneConditions::operator=(TuneConditions&&) noexcept = default;
TuneConditions::~TuneConditions() = default;

bool TuneConditions::hold(const Configuration& configuration) {
  for (std::size_t i = 0; i < configuration.size(); ++i)
    parsed_->current[i] = parsed_->values_of[i][configuration[i]];
  return std::ranges::all_of(parsed_->conditions, [](const mu::ParserInt& condition) {
    try {
      return condition.Eval() != 0;
    } catch (const mu::ParserError&) {
      // A division by zero, which the compiler names.
      return true;
    }
  });
}

}  // namespace autokernel::loop
