// What a command takes on its command line, as it declares it. CLI11 stays behind this: a file that
// includes it takes three times as long to compile.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace autokernel::cli {

// One option, to be described further; copies mean the same one.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  Option& type_name(const std::string& name);
  Option& required();
  Option& positive();
  Option& within(int least, int most);
  Option& one_of(const std::vector<std::string>& words);
  Option& excludes(Option other);
  // It may stand without a value, which is then an empty text.
  Option& value_may_be_left_out();
  // The help tells the value that it has now.
  Option& tells_default();

 private:
  CLI::Option* option_;
};

// The options of one command, and the commands below it; copies mean the same ones. What is named
// here is written when the command line is parsed, so it must outlive that.
class Options {
 public:
  Options() = default;  // of no command
  explicit Options(CLI::App& app) : app_(&app) {}
  void footer(const std::string& text) const;
  // A Value is a std::string, an int, a double, or an optional one of these.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& help = "") const;
  Option add_flag(const std::string& names, bool& value, const std::string& help) const;

  [[nodiscard]] Options add_command(const std::string& name, const std::string& summary) const;
  // One of the commands must be chosen.
  void require_command() const;
  [[nodiscard]] bool chose(const std::string& name) const;

  [[nodiscard]] CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_ = nullptr;
};

}  // namespace autokernel::cli
