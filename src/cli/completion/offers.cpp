#include "cli/completion/offers.h"

#include <CLI/CLI.hpp>

namespace autokernel::cli::completion {
namespace {

// By the names that commands give their values in the help.
[[nodiscard]] Values values_called(const std::string& name) {
  // What a value is checked for stands behind a colon.
  const std::string type = name.substr(0, name.find(':'));
  // With "FILE|REV" a name may be something else as well; folders are offered with files.
  if (type.substr(0, type.find('|')) == "FILE") return {.kind = Values::Kind::files};
  if (type == "DIR") return {.kind = Values::Kind::folders};
  // A colon ends a word in bash, so that cuda:N is left to the user.
  if (type == "DEVICE") return {.kind = Values::Kind::words, .words = {"auto", "cuda", "cpu"}};
  if (type == "STATUS") {
    return {.kind = Values::Kind::words, .words = {"keep", "discard", "crash"}};
  }
  if (type == "FORMAT") {
    return {.kind = Values::Kind::words, .words = {"png", "svg", "html", "term"}};
  }
  if (type == "SHELL") return {.kind = Values::Kind::words, .words = {"bash", "zsh", "fish"}};
  return {.kind = Values::Kind::anything};
}

[[nodiscard]] Values values_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  return values_called(option.get_type_name());
}

[[nodiscard]] Option described(const CLI::Option& option) {
  Option offered{.names = {}, .description = option.get_description(), .values = values_of(option)};
  for (const std::string& name : option.get_snames()) offered.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) offered.names.push_back("--" + name);
  return offered;
}

[[nodiscard]] Offer offers_at(const CLI::App& app, const std::string& before) {
  Offer offer{.path = before + app.get_name(),
              .name = app.get_name(),
              .summary = app.get_description(),
              .options = {},
              .argument = {},
              .commands = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      offer.argument = values_called(option->get_type_name());
    } else {
      offer.options.push_back(described(*option));
    }
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    // The group of a command that is listed nowhere.
    if (command->get_group().empty()) continue;
    offer.commands.push_back(offers_at(*command, offer.path + " "));
  }
  return offer;
}

}  // namespace

Offer offers_beside(const Options& options) { return offers_at(*options.app().get_parent(), ""); }

}  // namespace autokernel::cli::completion
