// Operands of instructions, all but labels: registers, constants, symbols, addresses, vectors and
// pairs.
#pragma once

#include "ptx/parser_state.h"

namespace emulator::ptx {

// Any operand; a pair p|q included.
[[nodiscard]] Operand read_operand(Reading& reading);

// Operands separated by commas up to `close`, which is taken, as the elements of a Vector: {a, b}
// and the (a, b) of call. The opening bracket has been taken.
[[nodiscard]] Operand read_list(Reading& reading, std::string_view close, Location opened);

// The register of that name. Throws Error where it is none.
[[nodiscard]] Register find_register(const Reading& reading, const Token& name);

}  // namespace emulator::ptx
