#include "lower/nan.h"

#include <algorithm>
#include <span>
#include <variant>

#include "lower/effects.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

// neg and abs are among it: an H200 adds zero to do either.
bool is_arithmetic(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma:
    case Opcode::mad:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
    case Opcode::neg:
    case Opcode::abs:
      return true;
    default:
      return false;
  }
}

bool is_extreme(Opcode opcode) { return opcode == Opcode::min || opcode == Opcode::max; }

// mov and selp hand on what they are given.
bool hands_on(const Instruction& instruction) {
  return instruction.opcode == Opcode::mov || instruction.opcode == Opcode::selp;
}

std::span<const ptx::Operand> handed_on(const Instruction& instruction) {
  return std::span(instruction.operands).subspan(1, instruction.opcode == Opcode::mov ? 1 : 2);
}

bool is_nan(const ptx::Immediate& number) {
  // A decimal number is an f64, and is no NaN.
  return number.form != ptx::Immediate::Form::f64 && (number.bits & 0x7fffffffU) > 0x7f800000U;
}

// Whether the operand is a value whose NaNs are the host's, or no NaN.
bool has_no_other(const ptx::Operand& operand, const std::vector<bool>& no_other) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) return no_other[reg->index];
  const auto* number = std::get_if<ptx::Immediate>(&operand.value);
  return number != nullptr && !is_nan(*number);
}

bool may_have(const ptx::Operand& operand, const std::vector<bool>& may) {
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  return reg != nullptr && may[reg->index];
}

}  // namespace

bool makes_host_nans(const Instruction& instruction) {
  if (instruction.types.size() == 1) {
    return instruction.type() == Type::f32 && is_arithmetic(instruction.opcode);
  }
  // From f64 a GPU keeps the upper bits of a NaN's payload, from bf16 all of them, as the host
  // does.
  return instruction.opcode == Opcode::cvt && instruction.types[0] == Type::f32 &&
         ptx::is_float(instruction.types[1]) && instruction.types[1] != Type::f64 &&
         instruction.types[1] != Type::bf16;
}

std::vector<bool> registers_of_host_nans(const ptx::Function& function) {
  // What a register may hold grows from the arithmetic on; what it holds and nothing else shrinks
  // from the writes of other kinds on.
  std::vector<bool> may(function.registers.size(), false);
  std::vector<bool> no_other(function.registers.size(), true);
  for (bool settled = false; !settled;) {
    settled = true;
    for (const Instruction& instruction : function.body) {
      const bool makes = makes_host_nans(instruction);
      bool nothing_else =
          makes || (is_extreme(instruction.opcode) && instruction.type() == Type::f32);
      bool some = makes;
      if (hands_on(instruction)) {
        const auto sources = handed_on(instruction);
        nothing_else = std::ranges::all_of(
            sources, [&](const auto& operand) { return has_no_other(operand, no_other); });
        some = std::ranges::any_of(sources,
                                   [&](const auto& operand) { return may_have(operand, may); });
      }
      for (const std::uint32_t r : effects_of(instruction).writes) {
        if (some && !may[r]) {
          may[r] = true;
          settled = false;
        }
        if (!nothing_else && no_other[r]) {
          no_other[r] = false;
          settled = false;
        }
      }
    }
  }
  for (std::size_t r = 0; r < may.size(); ++r) may[r] = may[r] && no_other[r];
  return may;
}

bool sees_nan_bits(const Instruction& instruction, const std::vector<bool>& host_nans) {
  if (hands_on(instruction)) {
    const auto* to = std::get_if<ptx::Register>(&instruction.operands.front().value);
    return to == nullptr || !host_nans[to->index];
  }
  if (instruction.type() != Type::f32) return true;
  switch (instruction.opcode) {
    case Opcode::setp:
    case Opcode::set:
    case Opcode::testp:
      return false;
    case Opcode::cvt:
      return instruction.types.front() == Type::f64;  // keeps what fits
    default:
      return !is_arithmetic(instruction.opcode) && !is_extreme(instruction.opcode);
  }
}

}  // namespace emulator::lower
