#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <type_traits>

namespace autokernel::cli {
namespace {

// CLI11's own names the largest double as the other end.
[[nodiscard]] std::string why_not_positive(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool is_number = error == std::errc() && stop == end && std::isfinite(value);
  return is_number && value > 0 ? "" : "'" + text + "' is not a number above 0";
}

template <typename Value>
constexpr bool kIsWhole = std::is_same_v<Value, int> || std::is_same_v<Value, std::optional<int>>;
template <typename Value>
constexpr bool kIsNumber = kIsWhole<Value> || std::is_same_v<Value, double> ||
                           std::is_same_v<Value, std::optional<double>>;

// CLI11's own says "Could not convert".
template <typename Value>
[[nodiscard]] std::string why_no_number(const std::string& text) {
  std::conditional_t<kIsWhole<Value>, int, double> value{};
  const char* const begin = text.data() + (text.starts_with("+") ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  // A number too large for a double is still a number; its reader refuses it.
  const bool is_too_large = !kIsWhole<Value> && error == std::errc::result_out_of_range;
  if ((error == std::errc() || is_too_large) && stop == end) return "";
  return "'" + text + "' is not a " + (kIsWhole<Value> ? "whole " : "") + "number";
}

}  // namespace

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::positive() {
  option_->check(
      CLI::Validator([](const std::string& text) { return why_not_positive(text); }, "POSITIVE"));
  return *this;
}

Option& Option::within(int least, int most) {
  const CLI::Validator range = CLI::Range(least, most);
  option_->check(CLI::Validator(
      [range, least, most](std::string& text) {
        return range(text).empty() ? ""
                                   : fmt::format("takes {} to {}, not '{}'", least, most, text);
      },
      range.get_description()));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  const CLI::Validator member = CLI::IsMember(words);
  option_->check(CLI::Validator(
      [member, words](std::string& text) {
        return member(text).empty()
                   ? ""
                   : fmt::format("takes {}, not '{}'", fmt::join(words, ", "), text);
      },
      member.get_description()));
  return *this;
}

Option& Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::value_may_be_left_out() {
  option_->expected(0, 1);
  return *this;
}

Option& Option::tells_default() {
  option_->capture_default_str();
  return *this;
}

void Options::footer(const std::string& text) const { app_->footer(text); }

template <typename Value>
Option Options::add_option(const std::string& names, Value& value, const std::string& help) const {
  CLI::Option* option = app_->add_option(names, value, help);
  // Each time one value: what follows may be `--` and a program.
  if (names.starts_with('-')) option->allow_extra_args(false);
  if constexpr (kIsNumber<Value>) {
    option->check(
        CLI::Validator([](const std::string& text) { return why_no_number<Value>(text); }, ""));
  }
  return Option(*option);
}

template Option Options::add_option(const std::string&, std::string&, const std::string&) const;
template Option Options::add_option(const std::string&, int&, const std::string&) const;
template Option Options::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&) const;
template Option Options::add_option(const std::string&, double&, const std::string&) const;
template Option Options::add_option(const std::string&, std::optional<std::string>&,
                                    const std::string&) const;
template Option Options::add_option(const std::string&, std::optional<int>&,
                                    const std::string&) const;
template Option Options::add_option(const std::string&, std::optional<double>&,
                                    const std::string&) const;

Option Options::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(names, value, help));
}

Options Options::add_command(const std::string& name, const std::string& summary) const {
  return Options(*app_->add_subcommand(name, summary));
}

void Options::require_command() const { app_->require_subcommand(1); }
bool Options::chose(const std::string& name) const { return app_->got_subcommand(name); }

}  // namespace autokernel::cli
