#include "lower/nan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <variant>

#include "lower/effects.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Type;

// What an instruction does with the bits of an f32 that is a NaN.
enum class NanRule : std::uint8_t {
  sees,      // looks at them as at any others
  ignores,   // a NaN is a NaN
  makes,     // its own, whatever its operands were; neg and abs too: an H200 adds zero to do either
  picks,     // one of its operands
  moves,     // hands its operand on
  selects,   // hands one of its first two operands on
  converts,  // to other types, which keep what fits
};

#define OPCODE(opcode, spelling, operands, group, result, effect, lanes, nans, ...) NanRule::nans,
constexpr auto kRules = std::to_array<NanRule>({
#include "ptx/opcodes.def"
});

NanRule rule_of(const Instruction& instruction) {
  return kRules.at(static_cast<std::size_t>(instruction.opcode));
}

// Of the two types of arithmetic such as add.f32.f16 the first is the result's.
Type type_of_sum(const Instruction& instruction) {
  return instruction.types.empty() ? Type::none : instruction.types.front();
}

bool hands_on(NanRule rule) { return rule == NanRule::moves || rule == NanRule::selects; }

std::span<const ptx::Operand> handed_on(const Instruction& instruction) {
  const std::size_t sources = rule_of(instruction) == NanRule::moves ? 1 : 2;
  return std::span(instruction.operands).subspan(1, sources);
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
  if (rule_of(instruction) == NanRule::makes) return type_of_sum(instruction) == Type::f32;
  if (instruction.types.size() == 1) return false;
  // From f64 a GPU keeps the upper bits of a NaN's payload, from bf16 all of them, as the host
  // does.
  return rule_of(instruction) == NanRule::converts && instruction.types[0] == Type::f32 &&
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
          makes || (rule_of(instruction) == NanRule::picks && instruction.type() == Type::f32);
      bool some = makes;
      if (hands_on(rule_of(instruction))) {
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
  if (hands_on(rule_of(instruction))) {
    const auto* to = std::get_if<ptx::Register>(&instruction.operands.front().value);
    return to == nullptr || !host_nans[to->index];
  }
  const bool makes = rule_of(instruction) == NanRule::makes;
  if ((makes ? type_of_sum(instruction) : instruction.type()) != Type::f32) return true;
  switch (rule_of(instruction)) {
    case NanRule::ignores:
    case NanRule::makes:
    case NanRule::picks:
      return false;
    case NanRule::converts:
      return instruction.types.front() == Type::f64;
    default:
      return true;
  }
}

}  // namespace emulator::lower
