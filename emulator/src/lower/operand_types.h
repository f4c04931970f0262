// Which registers and constants an operand of a type may be. NVIDIA's assembler asks that a
// register of a floating-point operand is declared as of its type or as bits of its width.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "ptx/ast.h"

namespace emulator::lower {

class Writer;

// Refuses the instruction unless its operands are as many as `types`, and each is one of its type.
// The first is the result, which is a register.
void require_operands(const Writer& writer, const ptx::Instruction& instruction,
                      std::initializer_list<ptx::Type> types);
// Unless this operand is of the type.
void require_operand(const Writer& writer, const ptx::Instruction& instruction, std::size_t operand,
                     ptx::Type type);
// Unless the registers of each vector are of one width, whatever their types.
void require_even_vectors(const Writer& writer, const ptx::Instruction& instruction);
// Unless the elements of this operand are registers of so many bits.
void require_width(const Writer& writer, const ptx::Instruction& instruction, std::size_t operand,
                   unsigned bits);
// Unless this operand is a vector of so many elements of the type.
void require_vector(const Writer& writer, const ptx::Instruction& instruction, std::size_t operand,
                    ptx::Type type, std::size_t elements);

}  // namespace emulator::lower
