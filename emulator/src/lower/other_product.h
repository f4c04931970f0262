// mma and wmma of the shapes that matrix.cpp does not know: of f64, of integers of 8 bits with
// eight rows, of 4 bits and single bits, and mma.m8n8k4 of f16.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

// Each says whether the instruction is one of them.
bool lower_other_mma(Writer& writer, const ptx::Instruction& instruction);
bool lower_other_wmma(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
