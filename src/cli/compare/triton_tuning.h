// The best of the configurations of @triton.autotune, found by measuring them.
#pragma once

#include <map>
#include <string>

#include "cli/command.h"
#include "cli/compare/rounds.h"

namespace autokernel::cli {

// How many configurations each kernel has whose file leaves open which it takes, by the names of
// the kernels, from the log of a compilation.
[[nodiscard]] std::map<std::string, int> configurations_in(const std::string& log);

// Puts the numbers of the best ones into the source of a kernel in Python that leaves them open,
// each measured once, one kernel of the file after the other; what to add to its label:
// ", CONFIG = 3 of 8". Nothing for any other kernel. Throws Interrupted, and Error as a trial does.
[[nodiscard]] std::string tune_triton(trial::Request& request, const RoundsPlan& plan,
                                      const Console& console);

}  // namespace autokernel::cli
