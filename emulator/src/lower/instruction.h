// One instruction of a kernel, whichever group it belongs to.
#pragma once

#include "ptx/ast.h"

namespace emulator::lower {

class Writer;

// Writes what the instruction does. Throws ptx::Error where it is not supported.
void lower_instruction(Writer& writer, const ptx::Instruction& instruction);

// Instructions that must not run at all where no lane does: they access memory or act on other
// lanes.
[[nodiscard]] bool acts_outside_registers(ptx::Opcode opcode);

}  // namespace emulator::lower
