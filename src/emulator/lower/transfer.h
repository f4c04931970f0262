// The form of an instruction's result from the forms of its operands.
#pragma once

#include <vector>

#include "emulator/lower/analysis.h"
#include "emulator/lower/form.h"
#include "emulator/ptx/ast.h"

namespace emulator::lower {

struct TransferContext {
  const ptx::Module& module;
  const ptx::Function& function;
  const LaunchShape& shape;
  const Layout& layout;
  const SymbolAddresses& symbols;
  const std::vector<Form>& forms;
};

[[nodiscard]] Form form_of(const TransferContext& context, const ptx::Operand& operand,
                           unsigned bits);
// One form, which holds for every register the instruction writes.
[[nodiscard]] Form result_form(const TransferContext& context, const ptx::Instruction& instruction);

}  // namespace emulator::lower
