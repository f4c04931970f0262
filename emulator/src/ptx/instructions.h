// One instruction: guard, opcode with its dotted words, operands.
#pragma once

#include "ptx/labels.h"
#include "ptx/parser_state.h"

namespace emulator::ptx {

// Reads up to and including the semicolon. `index` is the instruction's place in the function's
// body; labels it names are reported to `labels` and stand as LabelReference 0 until they are
// bound.
[[nodiscard]] Instruction read_instruction(Reading& reading, Labels& labels, std::uint32_t index);

}  // namespace emulator::ptx
