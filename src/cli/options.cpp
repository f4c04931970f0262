#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <optional>

namespace autokernel::cli {

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::within(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::tells_default() {
  option_->capture_default_str();
  return *this;
}

void Options::footer(const std::string& text) const { app_->footer(text); }

template <typename Value>
Option Options::add_option(const std::string& names, Value& value, const std::string& help) const {
  return Option(*app_->add_option(names, value, help));
}

template Option Options::add_option(const std::string&, std::string&, const std::string&) const;
template Option Options::add_option(const std::string&, int&, const std::string&) const;
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
