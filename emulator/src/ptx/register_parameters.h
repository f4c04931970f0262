// Parameters and results of functions in registers (.reg), which is how PTX before 3.0 passed them.
// The tree knows parameters in .param variables alone: here is what moves values between the two.
#pragma once

#include <vector>

#include "ptx/declarations.h"

namespace emulator::ptx {

// A predicate is handed over as 0 or 1 in a word of this type, since memory holds no predicates.
inline constexpr Type kPredicateWord = Type::u16;

// Gives each parameter in a register that register, and the instructions that bring its value there
// from the .param variable that stands for it, or there from the register.
[[nodiscard]] std::vector<Instruction> name_registers(Reading& reading, Function& function,
                                                      const std::vector<Declared>& parameters,
                                                      Symbol::Where where);

// Adds a call to the function's body, with what makes words of the predicates it hands over and
// predicates of the words it gets back.
void add_call(Reading& reading, Function& function, Instruction call);

}  // namespace emulator::ptx
