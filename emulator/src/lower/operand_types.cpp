#include "lower/operand_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// Of a sign or none, and no mere bits.
bool is_integer(Type type) {
  static constexpr std::array kAll = {Type::u8, Type::u16, Type::u32, Type::u64,
                                      Type::s8, Type::s16, Type::s32, Type::s64};
  return std::ranges::find(kAll, type) != kAll.end();
}

bool holds(Type declared, Type type) {
  if (declared == type || declared == bits_like(type)) return true;
  if (ptx::is_float(declared) || ptx::bits(declared) != ptx::bits(type)) return false;
  // A number's register may be of the other sign. No register is declared as of bf16: its numbers
  // are bits, which those of integers hold too.
  return is_integer(type) || type == Type::bf16 || type == Type::bf16x2;
}

bool is_constant_of(const ptx::Immediate& constant, Type type) {
  const bool integer = constant.form == ptx::Immediate::Form::integer;
  if (type == Type::f32 || type == Type::f64) return !integer;
  return integer && (is_integer(type) || type == Type::bf16);
}

bool is_of(const Writer& writer, const ptx::Operand& operand, Type type) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    return holds(writer.function().registers.at(reg->index).type, type);
  }
  const auto* constant = std::get_if<ptx::Immediate>(&operand.value);
  return constant != nullptr && is_constant_of(*constant, type);
}

[[noreturn]] void refuse_operand(const ptx::Instruction& instruction, std::size_t i) {
  unsupported(instruction, fmt::format("operand {} is not of its type", i + 1));
}

// 0 where it is no register.
unsigned width_of(const Writer& writer, const ptx::Operand& operand) {
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  return reg == nullptr ? 0 : ptx::bits(writer.function().registers.at(reg->index).type);
}

bool is_even(const Writer& writer, const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr || vector->elements.empty()) return true;
  // An address with coordinates is no vector itself.
  const bool is_address = std::holds_alternative<ptx::Address>(vector->elements.front().value);
  unsigned width = 0;
  for (const ptx::Operand& element : vector->elements) {
    if (!is_even(writer, element)) return false;
    const unsigned of_element = is_address ? 0 : width_of(writer, element);
    if (of_element == 0) continue;
    if (width != 0 && width != of_element) return false;
    width = of_element;
  }
  return true;
}

}  // namespace

void require_even_vectors(const Writer& writer, const ptx::Instruction& instruction) {
  // Results and arguments are no vectors either.
  if (instruction.opcode == ptx::Opcode::call) return;
  for (const ptx::Operand& operand : instruction.operands) {
    if (!is_even(writer, operand)) {
      unsupported(instruction, "the registers of a vector are of one width");
    }
  }
}

void require_width(const Writer& writer, const ptx::Instruction& instruction, std::size_t operand,
                   unsigned bits) {
  for (const ptx::Operand& element : elements_of(instruction.operands.at(operand))) {
    if (width_of(writer, element) == bits) continue;
    unsupported(instruction,
                fmt::format("operand {} is of registers of {} bits", operand + 1, bits));
  }
}

void require_operand(const Writer& writer, const ptx::Instruction& instruction, std::size_t operand,
                     Type type) {
  if (!is_of(writer, instruction.operands.at(operand), type)) refuse_operand(instruction, operand);
}

void require_vector(const Writer& writer, const ptx::Instruction& instruction, std::size_t operand,
                    Type type, std::size_t elements) {
  const ptx::Operand& all = instruction.operands.at(operand);
  const auto* vector = std::get_if<ptx::Vector>(&all.value);
  const bool fits = vector != nullptr && vector->elements.size() == elements &&
                    std::ranges::all_of(vector->elements, [&](const ptx::Operand& element) {
                      return is_of(writer, element, type);
                    });
  if (!fits) refuse_operand(instruction, operand);
}

void require_operands(const Writer& writer, const ptx::Instruction& instruction,
                      std::initializer_list<Type> types) {
  const auto& operands = instruction.operands;
  if (operands.size() != types.size()) {
    unsupported(instruction, fmt::format("it has {} operands", types.size()));
  }
  std::size_t i = 0;
  for (const Type type : types) {
    const bool result = i == 0 && !std::holds_alternative<ptx::Register>(operands[i].value);
    if (result || !is_of(writer, operands[i], type)) refuse_operand(instruction, i);
    ++i;
  }
}

}  // namespace emulator::lower
