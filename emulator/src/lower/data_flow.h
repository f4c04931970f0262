// The form of an instruction's result from the forms of its operands.
#pragma once

#include <vector>

#include "lower/analysis.h"
#include "lower/form.h"
#include "ptx/ast.h"

namespace emulator::lower {

struct TransferContext {
  const ptx::Module& module;
  const ptx::Function& function;
  const LaunchShape& shape;
  const Layout& layout;
  const SymbolAddresses& symbols;
  const std::vector<Form>& forms;
};

// An operand as the writer reads it: as a value of `bits`, of which those that it has not are zero.
[[nodiscard]] Form form_of(const TransferContext& context, const ptx::Operand& operand,
                           unsigned bits);
// Of a register of this width that the instruction writes. All that is claimed of registers goes
// through here: a result that is not as wide has been extended, the one way or the other.
[[nodiscard]] Form result_form(const TransferContext& context, const ptx::Instruction& instruction,
                               unsigned bits);
// Of the first one.
[[nodiscard]] Form result_form(const TransferContext& context, const ptx::Instruction& instruction);

}  // namespace emulator::lower
