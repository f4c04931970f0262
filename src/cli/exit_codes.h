// The exit codes as help texts list them.
#pragma once

#include <set>
#include <string>

#include "autokernel/base/error.h"

namespace autokernel::cli {

// "Exit codes: 0 done or kept, 2 usage, ...", in lines that fit a terminal: of all verdicts, and of
// what stops the program, but for what cannot stop the command.
[[nodiscard]] std::string exit_codes_text(const std::set<Stop>& left_out = {});

}  // namespace autokernel::cli
