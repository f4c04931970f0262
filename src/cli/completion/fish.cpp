#include <fmt/format.h>

#include "cli/completion/offers.h"
#include "cli/completion/quoting.h"

namespace autokernel::cli::completion {
namespace {

constexpr const char* kBeginning =
    "# fish completion for autokernel, made by: autokernel completion fish\n"
    "complete -c autokernel -f\n";

// The commands on the way to an offer, the program itself left out.
using Way = std::vector<std::string>;

// That all commands of the way have been typed, and none of the next.
[[nodiscard]] std::string condition(const Way& way, const Offer& offer) {
  std::string text;
  for (const std::string& command : way) {
    text += fmt::format("{}__fish_seen_subcommand_from {}", text.empty() ? "" : "; and ", command);
  }
  if (offer.commands.empty()) return text;
  std::string next;
  for (const Offer& command : offer.commands) next += " " + command.name;
  return fmt::format("{}{}not __fish_seen_subcommand_from{}", text, text.empty() ? "" : "; and ",
                     next);
}

[[nodiscard]] std::string wanted(const Values& values) {
  switch (values.kind) {
    case Values::Kind::none:
      return {};
    case Values::Kind::anything:
      return " -x";
    case Values::Kind::files:
      return " -r -F";
    case Values::Kind::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Values::Kind::words:
      return fmt::format(" -x -a '{}'", fmt::join(values.words, " "));
  }
  return {};
}

// "-v" and "--verbose" as fish declares them.
[[nodiscard]] std::string declared(const std::string& name) {
  return name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
}

void add(const Offer& offer, const Way& way, std::string& to) {
  const std::string start =
      fmt::format("complete -c autokernel -n {}", quoted(condition(way, offer)));
  for (const std::string& word : offer.argument.words) to += fmt::format("{} -a {}\n", start, word);
  for (const Offer& command : offer.commands) {
    to += fmt::format("{} -a {} -d {}\n", start, command.name, quoted(command.summary));
  }
  for (const Option& option : offer.options) {
    to += start;
    for (const std::string& name : option.names) to += declared(name);
    to += wanted(option.values) + " -d " + quoted(option.description) + "\n";
  }
  for (const Offer& command : offer.commands) {
    Way further = way;
    further.push_back(command.name);
    add(command, further, to);
  }
}

}  // namespace

std::string fish_script(const Offer& root) {
  std::string script = kBeginning;
  add(root, {}, script);
  return script;
}

}  // namespace autokernel::cli::completion
