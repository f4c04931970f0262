#include "autokernel/cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/notify/secret_variables.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/help_format.h"

namespace autokernel::cli {
namespace {

constexpr const char* kDescription =
    "Measures and improves CUDA kernels: one kernel, one fixed problem, results you can "
    "trust.\nWithout a GPU the same kernels run on an emulated CUDA driver. The same loop improves "
    "any\nother program, by commands: autokernel case new mine --from ranking.";

constexpr const char* kExamplesOfAll = R"(Examples:
  autokernel init                              set up a repository: a case of your own, to change
  autokernel case check                        check that case: its reference, its tolerances
  autokernel bench                             measure ./kernels/kernel.cu
  autokernel bench --case DIR                  measure another case
  autokernel bench --device cpu --size check   a quick check without a GPU
  autokernel loop start tiles                  start a run: keep what is faster, revert the rest
  autokernel plot                              plot the progress of a run: progress.png
  autokernel noise                             measure the detectable gain on this machine
  autokernel doctor                            check this machine
)";

// Commands that notify, or start others that do. No other has a use for the address of a webhook,
// and its children would inherit it.
const std::set<std::string> kNotifying = {"loop", "notify", "optimize"};

[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
#define COMMAND(name) commands.push_back(name##_command());
#include "cli/commands.def"
#undef COMMAND
  return commands;
}

// The command whose help answers a question about this command line.
[[nodiscard]] std::string help_command(const CLI::App& app) {
  std::string words = "autokernel";
  std::vector<CLI::App*> chosen = app.get_subcommands();
  while (!chosen.empty()) {
    words += " " + chosen.back()->get_name();
    chosen = chosen.back()->get_subcommands();
  }
  return words + " --help";
}

// Letters to be put in, left out, replaced or exchanged with their neighbour to make one of the
// other.
[[nodiscard]] std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (exchanged) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

// How many changes a typing mistake has: a word of three letters is like every other one of three.
[[nodiscard]] std::size_t most_changes(const std::string& word) {
  return word.size() < 6 ? 1 : word.size() / 3;
}

[[nodiscard]] bool has_command(const CLI::App& app, const std::string& word) {
  const std::vector<const CLI::App*> below =
      app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  return std::ranges::find(below, word, &CLI::App::get_name) != below.end();
}

// The command below `app` that is written most like it, where one is.
[[nodiscard]] std::string nearest_command(const CLI::App& app, const std::string& word) {
  std::string nearest;
  std::size_t least = most_changes(word) + 1;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_group().empty()) continue;  // listed nowhere
    const std::size_t changes = distance(word, command->get_name());
    if (changes >= least) continue;
    least = changes;
    nearest = command->get_name();
  }
  return nearest;
}

// The command's own option that is written most like it, where one is: "--size" for "--sise".
[[nodiscard]] std::string nearest_option(const CLI::App& command, const std::string& word) {
  const std::size_t most = most_changes(word);
  std::string nearest;
  std::size_t least = most + 1;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::size_t changes = distance(word, "--" + name);
      // An abbreviation counts as that option.
      const bool is_cut = word.size() > 4 && ("--" + name).starts_with(word);
      if (!is_cut && changes >= least) continue;
      least = is_cut ? 0 : changes;
      nearest = "--" + name;
    }
  }
  return nearest;
}

// What is wrong with an option that the command does not have; empty where it has all of them.
[[nodiscard]] std::string unknown_option(const CLI::App& command,
                                         const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::string word = argument.substr(0, argument.find('='));
    if (word == "--") break;
    if (!word.starts_with("--") || command.get_option_no_throw(word) != nullptr) continue;
    const std::string nearest = nearest_option(command, word);
    return fmt::format("unknown option '{}'{}", word,
                       nearest.empty() ? "" : "; did you mean " + nearest + "?");
  }
  return {};
}

// What is wrong with a word that no option takes: a file is mostly the kernel that was meant, and
// anything else the case. Empty where there is no such word.
[[nodiscard]] std::string unexpected_word(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  const auto found = std::ranges::find_if(
      rest, [](const std::string& word) { return !word.empty() && !word.starts_with("-"); });
  if (found == rest.end()) return {};
  std::error_code unreadable;
  const bool is_file = std::filesystem::is_regular_file(*found, unreadable);
  const char* option = is_file ? "--kernel" : "--case";
  const bool takes_it = command.get_option_no_throw(option) != nullptr;
  return fmt::format("unexpected argument '{}'{}", *found,
                     takes_it ? fmt::format("; did you mean {} {}?", option, *found) : "");
}

[[nodiscard]] std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// The command that was chosen: the last of `loop step`.
[[nodiscard]] const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : chosen_command(*below.back());
}

// What is wrong with a command that there is not, and which was probably meant; empty where there
// is no such word.
[[nodiscard]] std::string unknown_command(const CLI::App& app,
                                          const std::vector<std::string>& arguments) {
  const CLI::App* chosen = &app;
  std::string words;
  for (const std::string& argument : arguments) {
    const std::vector<CLI::App*> below = chosen->get_subcommands();
    words += (words.empty() ? "" : " ") + argument;
    if (!below.empty()) {
      chosen = below.back();
      continue;
    }
    // Where a command must follow, anything else is a mistyped one.
    const bool must_follow = chosen == &app || chosen->get_require_subcommand_min() > 0;
    if (!must_follow || argument.starts_with("-")) return {};
    std::string meant = nearest_command(*chosen, argument);
    if (!meant.empty()) {
      meant.insert(0, words, 0, words.size() - argument.size());
    } else if (has_command(app, argument)) {
      meant = argument;  // a command, but not of this group
    }
    return fmt::format("unknown command '{}'{}", words,
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
  }
  return {};
}

// What is wrong with the command line, and what was probably meant.
[[nodiscard]] std::string complaint(const CLI::App& app, const std::vector<std::string>& arguments,
                                    const CLI::ParseError& error) {
  if (std::string unknown = unknown_command(app, arguments); !unknown.empty()) return unknown;
  const CLI::App* chosen = &chosen_command(app);
  if (chosen != &app && chosen->get_require_subcommand_min() > 0) {
    return fmt::format("{} needs one of its commands", chosen->get_name());
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    if (std::string unknown = unknown_option(*chosen, arguments); !unknown.empty()) return unknown;
    if (std::string word = unexpected_word(*chosen); !word.empty()) return word;
  }
  return one_line(error.what());
}

// `autokernel help bench` and `autokernel version` are what other programs call their --help and
// --version.
[[nodiscard]] std::vector<std::string> as_options(std::vector<std::string> arguments) {
  if (arguments == std::vector<std::string>{"version"}) return {"--version"};
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

}  // namespace

int run(const std::vector<std::string>& given, const Console& console) {
  const std::vector<std::string> arguments = as_options(given);
  CLI::App app(kDescription, "autokernel");
  app.formatter(help_format());
  app.footer(kExamplesOfAll + exit_codes_text() +
             "\nSee 'autokernel COMMAND --help' for the options of a command.");
  app.set_version_flag("--version", "autokernel " AUTOKERNEL_VERSION, "Print the version and exit");
  app.require_subcommand(0, 1);
  const std::vector<std::unique_ptr<Command>> commands = all_commands();
  for (const auto& command : commands) {
    CLI::App* declared = app.add_subcommand(command->name(), command->summary());
    // A command in the empty group is listed nowhere.
    if (command->summary().empty()) declared->group("");
    command->declare(Options(*declared));
  }

  try {
    // CLI11 takes the arguments last one first.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    if (const std::string unknown = unknown_command(app, arguments); !unknown.empty()) {
      throw Error(Stop::usage, unknown + "; see '" + help_command(app) + "'");
    }
    console.out << app.help();
    return 0;
  } catch (const CLI::CallForVersion& version) {
    console.out << version.what() << '\n';
    return 0;
  } catch (const CLI::ParseError& error) {
    throw Error(Stop::usage,
                complaint(app, arguments, error) + "; see '" + help_command(app) + "'");
  }

  for (const auto& command : commands) {
    if (!app.got_subcommand(command->name())) continue;
    if (!kNotifying.contains(command->name())) notify::forget_notify_variables();
    return command->run(console);
  }
  console.err << app.help();
  return static_cast<int>(Stop::usage);
}

}  // namespace autokernel::cli
