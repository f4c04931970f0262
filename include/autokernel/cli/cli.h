// The command line: what the user typed becomes one subcommand's run.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace autokernel::cli {

// Where a command talks to its user: results to `out`, everything else to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;  // a line of progress may be painted on `err`, and erased
};

// Runs the command that `arguments` (without the program's name) ask for and returns the exit code.
// Throws Error(usage) for arguments that make no sense, and whatever the command throws.
[[nodiscard]] int run(const std::vector<std::string>& arguments, const Console& console);

}  // namespace autokernel::cli
