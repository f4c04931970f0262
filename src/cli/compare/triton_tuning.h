// The best of the configurations of @triton.autotune, found by measuring them.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/compare/rounds.h"

namespace autokernel::cli {

// Puts the best one's number into the source of a kernel in Python that has several, each measured
// once; what to add to its label: ", CONFIG = 3 of 8". Nothing for any other kernel, and for one
// that says itself which it takes.
[[nodiscard]] std::string tune_triton(trial::Request& request, const RoundsPlan& plan,
                                      const Console& console);

}  // namespace autokernel::cli
