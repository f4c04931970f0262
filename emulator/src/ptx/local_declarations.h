// Declarations inside a function: registers, and variables of its own.
#pragma once

#include "ptx/parser_state.h"

namespace emulator::ptx {

// Behind `.reg`, up to and including the semicolon: %r<37>, single names, .v2 and .v4 ones.
void declare_registers(Reading& reading, Function& function);

// Behind the state space, up to and including the semicolon.
void declare_local_variables(Reading& reading, Function& function, Space space);

// Behind `.callprototype`, up to and including the semicolon.
void skip_prototype(Reading& reading);

}  // namespace emulator::ptx
