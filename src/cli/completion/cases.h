// The parts of a script that bash and zsh read alike: branches of `case`.
#pragma once

#include <string>

#include "cli/completion/offers.h"

namespace autokernel::cli::completion {

// What a shell does to offer values: a command of its own.
using Reply = std::string (*)(const Values& values);

// For each command: the words that lead to it become $place.
[[nodiscard]] std::string path_branches(const Offer& root);

// For each option that wants a value, after the words that lead to it: offers its values and is
// done.
[[nodiscard]] std::string value_branches(const Offer& root, Reply reply);

}  // namespace autokernel::cli::completion
