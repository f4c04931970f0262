// mma with .block_scale: products whose factors are scaled in blocks.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

void multiply_scaled(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
