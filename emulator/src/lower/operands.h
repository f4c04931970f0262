// Walking through what stands in an operand.
#pragma once

#include "ptx/ast.h"

namespace emulator::lower {

// Calls change(operand) for the operand and for every one within it.
template <typename Change>
void each_operand(ptx::Operand& operand, const Change& change) {
  change(operand);
  if (auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    for (ptx::Operand& element : vector->elements) each_operand(element, change);
  } else if (auto* pair = std::get_if<ptx::Pair>(&operand.value)) {
    for (ptx::Operand& element : pair->both) each_operand(element, change);
  }
}

}  // namespace emulator::lower
