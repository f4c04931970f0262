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

void by_type(Writer& writer, const Instruction& instruction, const ByType& lowerings) {
  Lowering* const lowering = of_type(lowerings, instruction.types.front());
  if (lowering == nullptr) unsupported(instruction);
  lowering(writer, instruction);
}

// Of three there are those of f32 alone.
void extreme(Writer& writer, const Instruction& instruction, const ByType& lowerings) {
  if (instruction.operands.size() > 3 && instruction.type() != Type::f32) {
    unsupported(instruction, "it has 3 operands");
  }
  by_type(writer, instruction, lowerings);
}

}  // namespace

void lower_add(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {add_integers, add_floats, add_halves});
}
void lower_sub(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {sub_integers, sub_floats, sub_halves});
}
void lower_mul(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {mul_integers, mul_floats, mul_halves});
}
void lower_mad(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {mad_integers, fma_floats, nullptr});
}
void lower_fma(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {nullptr, fma_floats, fma_halves});
}
void lower_div(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {div_integers, div_floats, nullptr});
}
void lower_abs(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {abs_integers, abs_floats, abs_halves});
}
void lower_neg(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {neg_integers, neg_floats, neg_halves});
}
void lower_min(Writer& writer, const Instruction& instruction) {
  extreme(writer, instruction, {min_integers, min_floats, min_halves});
}
void lower_max(Writer& writer, const Instruction& instruction) {
  extreme(writer, instruction, {max_integers, max_floats, max_halves});
}
void lower_ex2(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {nullptr, ex2_floats, ex2_halves});
}
void lower_tanh(Writer& writer, const Instruction& instruction) {
  by_type(writer, instruction, {nullptr, tanh_floats, tanh_halves});
}

}  // namespace emulator::lower
