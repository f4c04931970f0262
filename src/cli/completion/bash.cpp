#include <fmt/format.h>

#include "cli/completion/cases.h"
#include "cli/completion/offers.h"
#include "cli/completion/quoting.h"

namespace autokernel::cli::completion {
namespace {

// The words typed so far that name commands lead to a place; there, an option may want a value.
constexpr const char* kBeginning =
    R"(# bash completion for autokernel, made by: autokernel completion bash
_autokernel() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} place=autokernel i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$place ${COMP_WORDS[i]}" in
)";
constexpr const char* kAfterPaths = R"(      (*) break ;;
    esac
  done
  case "$place $before" in
)";
constexpr const char* kAfterValues = R"(  esac
  case $place in
)";
constexpr const char* kEnd = R"(  esac
}
complete -F _autokernel autokernel
)";

[[nodiscard]] std::string reply(const Values& values) {
  switch (values.kind) {
    case Values::Kind::files:
      return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "
             "\"$current\")";
    case Values::Kind::folders:
      return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "
             "\"$current\")";
    case Values::Kind::words:
      return fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\")",
                         fmt::join(values.words, " "));
    case Values::Kind::none:
    case Values::Kind::anything:
      break;
  }
  return ":";
}

// Everything that may stand here and is a word.
[[nodiscard]] Values words_of(const Offer& offer) {
  Values words{.kind = Values::Kind::words, .words = offer.argument.words};
  for (const Offer& command : offer.commands) words.words.push_back(command.name);
  for (const Option& option : offer.options) {
    words.words.insert(words.words.end(), option.names.begin(), option.names.end());
  }
  return words;
}

void add_words(const Offer& offer, std::string& to) {
  to += fmt::format("    ({}) {} ;;\n", quoted(offer.path), reply(words_of(offer)));
  for (const Offer& command : offer.commands) add_words(command, to);
}

}  // namespace

std::string bash_script(const Offer& root) {
  std::string script = kBeginning;
  script += path_branches(root);
  script += kAfterPaths;
  script += value_branches(root, reply);
  script += kAfterValues;
  add_words(root, script);
  return script + kEnd;
}

}  // namespace autokernel::cli::completion
