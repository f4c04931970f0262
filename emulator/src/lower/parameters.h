// ld and st of kernel parameters by name, and of the slots in which calls pass arguments and
// results.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

// Whether the instruction, ld, ldu or st, is one of them: if so, it has been written.
[[nodiscard]] bool lower_parameter(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
