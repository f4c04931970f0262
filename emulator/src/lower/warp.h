// Which lanes carry an instruction out together.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

// A mask of the lanes that any of `lanes` needs for the instruction, which they have come to:
// those that it names, or all of the warp.
[[nodiscard]] Value lanes_named_by(Writer& writer, const ptx::Instruction& instruction,
                                   const Value& lanes);

}  // namespace emulator::lower
