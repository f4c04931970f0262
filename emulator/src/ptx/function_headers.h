// A function but for its body: linkage is behind us, `.entry` or `.func` comes next.
#pragma once

#include "ptx/parser_state.h"

namespace emulator::ptx {

// Reads one function, declared or defined, into the module. Throws Error where it contradicts an
// earlier one of that name.
void read_function(Reading& reading, Linkage linkage);

}  // namespace emulator::ptx
