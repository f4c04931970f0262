// What a shell can offer at each place of the command line, read from the tree of commands and
// options itself, so that no script goes stale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.h"

namespace autokernel::cli::completion {

// What may follow an option, or stand where a command takes an argument.
struct Values {
  enum class Kind : std::uint8_t {
    none,      // nothing follows: a flag
    anything,  // something that no shell can guess
    files,
    folders,
    words,
  };
  Kind kind = Kind::none;
  std::vector<std::string> words = {};
};

struct Option {
  std::vector<std::string> names;  // "-v", "--verbose"
  std::string description;
  Values values;
};

struct Offer {
  std::string path;     // the words that lead here: "autokernel bench"
  std::string name;     // the last of them
  std::string summary;  // of the command
  std::vector<Option> options;
  Values argument;
  std::vector<Offer> commands;
};

// Of the whole program, which has a command with these options. Commands that users do not call are
// left out.
[[nodiscard]] Offer offers_beside(const Options& options);

// The scripts, which each shell reads once.
[[nodiscard]] std::string bash_script(const Offer& root);
[[nodiscard]] std::string zsh_script(const Offer& root);
[[nodiscard]] std::string fish_script(const Offer& root);

}  // namespace autokernel::cli::completion
