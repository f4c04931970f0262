// Every name of the module that an instruction mentions.
#pragma once

#include <variant>

#include "ptx/ast.h"

namespace emulator::ptx {

// Calls change(Symbol&) for each symbol of an operand.
template <typename Change>
void change_symbols(Operand& operand, const Change& change) {
  if (auto* const symbol = std::get_if<Symbol>(&operand.value)) {
    change(*symbol);
  } else if (auto* const address = std::get_if<Address>(&operand.value)) {
    if (auto* const base = std::get_if<Symbol>(&address->base)) change(*base);
  } else if (auto* const vector = std::get_if<Vector>(&operand.value)) {
    // Vectors lie at most two deep, whatever the text.
    for (Operand& element : vector->elements) change_symbols(element, change);
  }
}

}  // namespace emulator::ptx
