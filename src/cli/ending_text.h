// How a user's program ended, as a sentence goes on: "ended with exit code 1".
#pragma once

#include <string>

#include "autokernel/base/process.h"

namespace autokernel::cli {

[[nodiscard]] std::string ending_text(const Ending& ending);
// As a shell has it: 128 + N where signal N ended it.
[[nodiscard]] int exit_code_of(const Ending& ending);

}  // namespace autokernel::cli
