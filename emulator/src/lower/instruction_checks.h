// What is asked of an instruction before a line is written for it.
#pragma once

#include "ptx/ast.h"

namespace emulator::lower {

// Throws ptx::Error unless the instruction has the words, types and operands that its opcode may
// have (word_rules.h). A word that the lowering does not look at could change what the instruction
// means, so one that is not listed is refused, never passed over.
void require_known_words(const ptx::Instruction& instruction);

}  // namespace emulator::lower
