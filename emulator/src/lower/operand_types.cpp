#include "lower/operand_types.h"

#include <fmt/format.h>

#include <cstddef>
#include <variant>

#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Type;

Type bits_like(Type type) {
  switch (ptx::bits(type)) {
    case 8:
      return Type::b8;
    case 16:
      return Type::b16;
    case 32:
      return Type::b32;
    case 64:
      return Type::b64;
    default:
      return type;
  }
}

bool holds(Type declared, Type type) {
  if (declared == type || declared == bits_like(type)) return true;
  if (!ptx::is_float(type) && !ptx::is_float(declared))
    return ptx::bits(declared) == ptx::bits(type);
  // No register is declared as of bf16: its numbers are bits, which integers hold too.
  return type == Type::bf16 && (declared == Type::u16 || declared == Type::s16);
}

bool is_constant_of(const ptx::Immediate& constant, Type type) {
  const bool integer = constant.form == ptx::Immediate::Form::integer;
  switch (type) {
    case Type::f32:
    case Type::f64:
      return !integer;
    case Type::f16:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::f32x2:
      return false;
    default:
      return integer;
  }
}

bool is_of(const Writer& writer, const ptx::Operand& operand, Type type) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    return holds(writer.function().registers.at(reg->index).type, type);
  }
  const auto* constant = std::get_if<ptx::Immediate>(&operand.value);
  return constant != nullptr && is_constant_of(*constant, type);
}

}  // namespace

void require_operands(const Writer& writer, const ptx::Instruction& instruction,
                      std::initializer_list<Type> types) {
  const auto& operands = instruction.operands;
  if (operands.size() != types.size()) {
    unsupported(instruction, fmt::format("it has {} operands", types.size()));
  }
  std::size_t i = 0;
  for (const Type type : types) {
    const bool result = i == 0 && !std::holds_alternative<ptx::Register>(operands[i].value);
    if (result || !is_of(writer, operands[i], type)) {
      unsupported(instruction, fmt::format("operand {} is not of its type", i + 1));
    }
    ++i;
  }
}

}  // namespace emulator::lower
