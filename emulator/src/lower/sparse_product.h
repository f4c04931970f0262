// mma.sp: products whose first factor is sparse.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

void multiply_sparse(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
