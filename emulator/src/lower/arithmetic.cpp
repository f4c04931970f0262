#include "lower/arithmetic.h"

#include <fmt/format.h>

#include <cstddef>

#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Type;

// Null: not of these.
struct ByType {
  Lowering* integers;
  Lowering* floats;
  Lowering* halves;
};

Lowering* of_type(const ByType& lowerings, Type type) {
  if (!ptx::is_float(type)) return lowerings.integers;
  switch (type) {
    case Type::f32:
    case Type::f32x2:
    case Type::f64:
      return lowerings.floats;
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      return lowerings.halves;
    default:
      return nullptr;
  }
}

void by_type(Writer& writer, const Instruction& instruction, std::size_t sources,
             const ByType& lowerings) {
  // An f32 has a minimum of three as well.
  const bool extreme =
      instruction.opcode == ptx::Opcode::min || instruction.opcode == ptx::Opcode::max;
  const bool third = extreme && instruction.type() == Type::f32;
  const std::size_t given = instruction.operands.size();
  if (given != sources + 1 && !(third && given == sources + 2)) {
    unsupported(instruction, fmt::format("it has {} operands", sources + 1));
  }
  Lowering* const lowering = of_type(lowerings, instruction.types.front());
  if (lowering == nullptr) unsupported(instruction);
  lowering(writer, instruction);
}

}  // namespace

void lower_add(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 2, {add_integers, add_floats, add_halves});
}
void lower_sub(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 2, {sub_integers, sub_floats, sub_halves});
}
void lower_mul(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 2, {mul_integers, mul_floats, mul_halves});
}
void lower_mad(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 3, {mad_integers, fma_floats, nullptr});
}
void lower_fma(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 3, {nullptr, fma_floats, fma_halves});
}
void lower_div(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 2, {div_integers, div_floats, nullptr});
}
void lower_abs(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 1, {abs_integers, abs_floats, abs_halves});
}
void lower_neg(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 1, {neg_integers, neg_floats, neg_halves});
}
void lower_min(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 2, {min_integers, min_floats, min_halves});
}
void lower_max(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 2, {max_integers, max_floats, max_halves});
}
void lower_ex2(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 1, {nullptr, ex2_floats, ex2_halves});
}
void lower_tanh(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, 1, {nullptr, tanh_floats, tanh_halves});
}

}  // namespace emulator::lower
