// cvt to and from registers of several small floats: 8, 6 and 4 bits, powers of two (ue8m0), and
// pairs of halves that are rounded by random bits.
#pragma once

#include "ptx/ast.h"

namespace emulator::lower {

class Writer;

[[nodiscard]] bool is_small_conversion(const ptx::Instruction& instruction);
void convert_small(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
