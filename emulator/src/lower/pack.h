// cvt.pack: two integers, clamped to a narrower type, side by side below a third operand.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

void convert_packed(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
