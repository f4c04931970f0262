// Initial values of variables: numbers, addresses of symbols, and braces around them as in C.
#pragma once

#include "ptx/declarations.h"

namespace emulator::ptx {

// Reads `= ..` if it is there: fills the variable's initial bytes and relocations, and its size
// where the first extent was left open. Throws Error where the variable's space has no initial
// values.
void read_optional_initialiser(Reading& reading, Declared& declared);

}  // namespace emulator::ptx
