// Which vectors of elements ld and st may have, and which words go with them.
#pragma once

#include "ptx/ast.h"

namespace emulator::lower {

// Refuses a vector that is too long for its memory, one of which nothing is loaded or stored, and
// words that go with other vectors.
void require_access_form(const ptx::Instruction& instruction);

}  // namespace emulator::lower
