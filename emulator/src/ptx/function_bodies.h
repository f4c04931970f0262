// The body of a function: statements, scopes and labels.
#pragma once

#include "ptx/parser_state.h"

namespace emulator::ptx {

// Reads from `{` to the `}` that closes it into the function's registers, variables and
// instructions. The parameters' names are in scope. `before_return` goes before each ret and the
// end.
void read_body(Reading& reading, Function& function, const std::vector<Instruction>& before_return);

}  // namespace emulator::ptx
