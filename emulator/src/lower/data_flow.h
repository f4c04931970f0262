// What is known of an instruction's result in all lanes, from what is known of its operands.
#pragma once

#include <vector>

#include "lower/analysis.h"
#include "lower/lane_values.h"
#include "ptx/ast.h"

namespace emulator::lower {

struct DataFlow {
  const ptx::Module& module;
  const ptx::Function& function;
  const LaunchShape& shape;
  const Layout& layout;
  const SymbolAddresses& symbols;
  const std::vector<LaneValues>& register_values;
};

// An operand as the writer reads it: as a value of `bits`, of which those that it has not are zero.
[[nodiscard]] LaneValues values_of(const DataFlow& context, const ptx::Operand& operand,
                                   unsigned bits);
// Of a register of this width that the instruction writes. All that is claimed of registers goes
// through here: a result that is not as wide has been extended, the one way or the other.
[[nodiscard]] LaneValues result_values(const DataFlow& context, const ptx::Instruction& instruction,
                                       unsigned bits);
// Of the first one.
[[nodiscard]] LaneValues result_values(const DataFlow& context,
                                       const ptx::Instruction& instruction);

}  // namespace emulator::lower
