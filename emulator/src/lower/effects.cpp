#include "lower/effects.h"

#include <algorithm>
#include <variant>

#include "ptx/opcode_facts.h"

namespace emulator::lower {
namespace {

using ptx::Opcode;

void collect(const ptx::Operand& operand, std::vector<std::uint32_t>& registers) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    registers.push_back(reg->index);
  } else if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
    for (const auto& element : vector->elements) collect(element, registers);
  } else if (const auto* pair = std::get_if<ptx::Pair>(&operand.value)) {
    for (const auto& element : pair->both) collect(element, registers);
  } else if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* base = std::get_if<ptx::Register>(&address->base))
      registers.push_back(base->index);
  }
}

}  // namespace

bool is_of_matrices(Opcode opcode) { return ptx::facts_of(opcode).group == ptx::Group::matrix; }

bool is_warp_wide(Opcode opcode) {
  return ptx::facts_of(opcode).lanes.together == ptx::LaneRule::When::always;
}

std::optional<std::size_t> members_operand(const ptx::Instruction& instruction) {
  const ptx::LaneRule& rule = ptx::facts_of(instruction.opcode).lanes;
  if (rule.members_with_sync_only && !instruction.has(ptx::Modifier::sync)) return std::nullopt;
  if (rule.together == ptx::LaneRule::When::with_warp && !instruction.has(ptx::Modifier::warp)) {
    return std::nullopt;
  }
  return rule.members;
}

bool needs_other_lanes(const ptx::Instruction& instruction) {
  const ptx::OpcodeFacts& facts = ptx::facts_of(instruction.opcode);
  if (facts.effect == ptx::Effect::barrier) return true;
  if (facts.lanes.together != ptx::LaneRule::When::always) return false;
  return !facts.lanes.members_with_sync_only || instruction.has(ptx::Modifier::sync);
}

bool has_result(const ptx::Instruction& instruction) {
  const ptx::ResultRule& rule = ptx::facts_of(instruction.opcode).result;
  const auto has_word = [&] {
    return std::ranges::any_of(rule.words,
                               [&](ptx::Modifier word) { return instruction.has(word); });
  };
  switch (rule.when) {
    case ptx::ResultRule::When::never:
      return false;
    case ptx::ResultRule::When::with_word:
      return has_word();
    case ptx::ResultRule::When::without_words:
      return !has_word();
    default:
      return true;
  }
}

Effects effects_of(const ptx::Instruction& instruction) {
  Effects effects;
  if (instruction.guard) effects.reads.push_back(instruction.guard->predicate.index);
  const bool result = has_result(instruction);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const ptx::Operand& operand = instruction.operands[i];
    const bool address = std::holds_alternative<ptx::Address>(operand.value);
    collect(operand, result && i == 0 && !address ? effects.writes : effects.reads);
  }
  return effects;
}

std::vector<bool> registers_read(const ptx::Function& function) {
  std::vector<bool> read(function.registers.size(), false);
  for (const ptx::Instruction& instruction : function.body) {
    for (const std::uint32_t r : effects_of(instruction).reads) read[r] = true;
  }
  return read;
}

}  // namespace emulator::lower
