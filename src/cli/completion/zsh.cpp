#include <fmt/format.h>

#include "cli/completion/cases.h"
#include "cli/completion/offers.h"
#include "cli/completion/quoting.h"

namespace autokernel::cli::completion {
namespace {

// `path` is zsh's own name for PATH as a list, so the path of commands is called `place`.
constexpr const char* kBeginning = R"(#compdef autokernel
# zsh completion for autokernel, made by: autokernel completion zsh
_autokernel() {
  local before=${words[CURRENT - 1]} place=autokernel
  local -i i
  local -a offered
  for ((i = 2; i < CURRENT; ++i)); do
    case "$place ${words[i]}" in
)";
constexpr const char* kAfterPaths = R"(      (*) break ;;
    esac
  done
  case "$place $before" in
)";
constexpr const char* kAfterValues = R"(  esac
  case "$place" in
)";
// Read as a file of the function path, its last line calls it; read by `source`, it registers it.
constexpr const char* kEnd = R"(  esac
  _describe autokernel offered
}
if [[ ${funcstack[1]} == _autokernel ]]; then
  _autokernel "$@"
else
  compdef _autokernel autokernel
fi
)";

[[nodiscard]] std::string reply(const Values& values) {
  switch (values.kind) {
    case Values::Kind::files:
      return "_files";
    case Values::Kind::folders:
      return "_files -/";
    case Values::Kind::words:
      return fmt::format("compadd -- {}", fmt::join(values.words, " "));
    case Values::Kind::none:
    case Values::Kind::anything:
      break;
  }
  return ":";
}

// A colon ends the word and begins its description.
[[nodiscard]] std::string described(const std::string& word, const std::string& description) {
  return " " + quoted(word + ":" + description);
}

void add_words(const Offer& offer, std::string& to) {
  std::string offered;
  for (const std::string& word : offer.argument.words) offered += " " + quoted(word);
  for (const Offer& command : offer.commands) offered += described(command.name, command.summary);
  for (const Option& option : offer.options) {
    for (const std::string& name : option.names) offered += described(name, option.description);
  }
  to += fmt::format("    ({}) offered=({}) ;;\n", quoted(offer.path), offered);
  for (const Offer& command : offer.commands) add_words(command, to);
}

}  // namespace

std::string zsh_script(const Offer& root) {
  std::string script = kBeginning;
  script += path_branches(root);
  script += kAfterPaths;
  script += value_branches(root, reply);
  script += kAfterValues;
  add_words(root, script);
  return script + kEnd;
}

}  // namespace autokernel::cli::completion
