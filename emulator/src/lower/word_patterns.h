// Which words and types an instruction may have together, of those whose forms are few enough to be
// listed: arithmetic, logic, comparisons, conversions, atomics. What NVIDIA's assembler refuses
// would run here and nowhere else.
#pragma once

#include "ptx/ast.h"

namespace emulator::lower {

[[nodiscard]] bool has_patterns(const ptx::Instruction& instruction);

// Throws ptx::Error, with what is wrong, unless the instruction is of one of its patterns.
void require_pattern(const ptx::Instruction& instruction);

}  // namespace emulator::lower
