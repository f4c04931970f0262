#include "loop/autotune/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/normalized_source.h"
#include "autokernel/compile/source_text.h"
#include "loop/autotune/integer_condition.h"

namespace autokernel::loop {
namespace {

constexpr std::string_view kParameter = "AUTOKERNEL_TUNE";
constexpr std::string_view kCondition = "AUTOKERNEL_TUNE_IF";
// More than anybody writes by hand.
constexpr std::size_t kMostParameters = 32;
constexpr std::size_t kMostValues = 256;
constexpr std::size_t kMostConditions = 64;

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
    const std::size_t end = compile::closing_bracket(readable_, open);
    if (end == std::string::npos) fail("its bracket is not closed");
    return {open + 1, end};
  }

  std::size_t condition(std::size_t at) {
    const auto [begin, end] = in_brackets(at);
    const std::string_view written = std::string_view(readable_).substr(begin, end - begin);
    if (space_.conditions.size() == kMostConditions)
      fail(fmt::format("there are more than {} conditions", kMostConditions));
    space_.conditions.push_back(compile::without_blanks_around(written));
    return end;
  }

  std::size_t parameter(std::size_t at) {
    const auto [begin, end] = in_brackets(at);
    const std::string_view all = std::string_view(readable_).substr(begin, end - begin);
    const std::size_t comma = std::min(all.find(','), all.size());
    TuneParameter parameter{.name = compile::without_blanks_around(all.substr(0, comma)),
                            .values = {},
                            .begin = std::min(begin + comma + 1, end),
                            .end = end};
    if (parameter.name.empty() || !std::ranges::all_of(parameter.name, compile::is_word_character))
      fail("write AUTOKERNEL_TUNE(NAME, 64, 128, 256)");
    if (std::ranges::find(space_.parameters, parameter.name, &TuneParameter::name) !=
        space_.parameters.end())
      fail(parameter.name + " is declared twice");
    std::set<std::int64_t> known;
    for (std::size_t from = parameter.begin; from <= end && comma < all.size();) {
      const std::size_t to = std::min(readable_.find(',', from), end);
      const std::string value =
          compile::without_blanks_around(std::string_view(readable_).substr(from, to - from));
      if (!is_whole_number(value)) {
        fail(fmt::format(
            "{} has the value '{}'; write numbers that an int holds, such as 64 or 0x40",
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

namespace {

[[nodiscard]] std::optional<std::int64_t> signed_literal(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<std::int64_t> value = integer_literal(text);
  return value && is_negative ? -*value : value;
}

}  // namespace

bool is_whole_number(std::string_view text) { return signed_literal(text).has_value(); }

std::int64_t value_of(const std::string& text) { return signed_literal(text).value_or(0); }

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
  std::vector<std::vector<std::int64_t>> values_of;  // by parameter
  std::vector<std::int64_t> current;                 // of parameters, then of sizes
  std::vector<IntegerCondition> conditions;
};

TuneConditions::TuneConditions(const TuneSpace& space,
                               const std::map<std::string, std::int64_t>& sizes)
    : parsed_(std::make_unique<Parsed>()) {
  std::map<std::string, std::size_t, std::less<>> places;
  for (const TuneParameter& parameter : space.parameters) {
    std::vector<std::int64_t>& values = parsed_->values_of.emplace_back();
    for (const std::string& value : parameter.values) values.push_back(value_of(value));
    places.emplace(parameter.name, parsed_->current.size());
    parsed_->current.push_back(values.front());
  }
  for (const auto& [name, value] : sizes) {
    if (places.emplace(name, parsed_->current.size()).second) parsed_->current.push_back(value);
  }
  for (const std::string& text : space.conditions) {
    try {
      IntegerCondition condition(text, [&](std::string_view name) {
        const auto place = places.find(name);
        return place == places.end() ? std::nullopt : std::optional(place->second);
      });
      // The kernel has these values, and compiles.
      if (condition.holds(parsed_->current) == false)
        throw UnreadableCondition("it would exclude the values that the kernel has");
      parsed_->conditions.push_back(std::move(condition));
    } catch (const UnreadableCondition& why) {
      left_.push_back({text, why.what()});
    }
  }
}
TuneConditions::TuneConditions(TuneConditions&&) noexcept = default;
TuneConditions& TuneConditions::operator=(TuneConditions&&) noexcept = default;
TuneConditions::~TuneConditions() = default;

bool TuneConditions::hold(const Configuration& configuration) {
  for (std::size_t i = 0; i < configuration.size(); ++i)
    parsed_->current[i] = parsed_->values_of[i][configuration[i]];
  return std::ranges::all_of(parsed_->conditions, [&](const IntegerCondition& condition) {
    return condition.holds(parsed_->current).value_or(true);
  });
}

}  // namespace autokernel::loop
