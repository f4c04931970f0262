// Code that compares what the lowering takes to be true of registers with what they hold: for tests
// of the analysis (data_flow.h). Kernels are written for it as if nothing were known of any
// register, so that what is compared does not come about by means of what it is compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/lane_values.h"
#include "ptx/ast.h"

namespace emulator::lower {

class Writer;

// What a kernel is written with.
enum class ClaimsChoice : std::uint8_t {
  used,      // they decide how instructions are carried out
  compared,  // they decide nothing; each time a register is read or written, they are compared
};

// Compares the registers that the instruction reads, or those that it writes, with these values,
// one per register, in the lanes that run it.
void compare_read(Writer& writer, const std::vector<LaneValues>& register_values,
                  const ptx::Instruction& instruction);
void compare_written(Writer& writer, const std::vector<LaneValues>& register_values,
                     const ptx::Instruction& instruction);

}  // namespace emulator::lower
