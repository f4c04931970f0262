// The body of a function: statements, scopes and labels.
#pragma once

#include "emulator/ptx/reading.h"

namespace emulator::ptx {

// Reads from `{` to the `}` that closes it into the function's registers, variables and
// instructions. The parameters' names are in scope.
void read_body(Reading& reading, Function& function);

}  // namespace emulator::ptx
