// The exit codes as help texts list them.
#pragma once

#include <span>
#include <string>

#include "autokernel/base/error.h"

namespace autokernel::cli {

// "Exit codes: 0 done or kept, 2 usage, ...", in lines that fit a terminal: those of all verdicts,
// and of what may stop the command.
[[nodiscard]] std::string exit_codes_text(std::span<const Stop> stops);
// The same with everything that may stop the program.
[[nodiscard]] std::string exit_codes_text();

}  // namespace autokernel::cli
