// What an atomic operation does and on what, as the runtime takes it.
#pragma once

#include "ptx/ast.h"
#include "runtime/abi.h"

namespace emulator::lower {

// Both throw ptx::Error where the instruction names none.
[[nodiscard]] runtime::AtomicOp atomic_operation(const ptx::Instruction& instruction);
[[nodiscard]] runtime::AtomicType atomic_type(const ptx::Instruction& instruction);

}  // namespace emulator::lower
