#include "lower/instruction.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <variant>

#include "lower/arithmetic.h"
#include "lower/instruction_checks.h"
#include "lower/operand_types.h"
#include "lower/writer.h"
#include "ptx/opcode_facts.h"

namespace emulator::lower {

using ptx::Instruction;

namespace {

#define OPCODE(opcode, spelling, operands, group, result, effect, lanes, nans, value, lowering, \
               ...)                                                                             \
  lowering,
constexpr auto kLowerings = std::to_array<Lowering*>({
#include "ptx/opcodes.def"
});

}  // namespace

bool acts_outside_registers(ptx::Opcode opcode) {
  const ptx::OpcodeFacts& facts = ptx::facts_of(opcode);
  switch (facts.effect) {
    case ptx::Effect::pure:
    case ptx::Effect::orders:
    case ptx::Effect::jumps:
      return facts.lanes.together == ptx::LaneRule::When::always;
    default:
      return true;
  }
}

namespace {

// Each lowering takes the operands that its form has.
[[noreturn]] void refuse_operands(const Instruction& instruction) {
  unsupported(instruction, "its operands are too few, or of other kinds");
}

}  // namespace

void lower_instruction(Writer& writer, const Instruction& instruction) {
  require_known_words(instruction);
  require_even_vectors(writer, instruction);
  writer.expect_bits_of(instruction);
  try {
    kLowerings.at(static_cast<std::size_t>(instruction.opcode))(writer, instruction);
  } catch (const std::out_of_range&) {
    refuse_operands(instruction);
  } catch (const std::bad_variant_access&) {
    refuse_operands(instruction);
  }
}

// It changes speed, or nothing, never a result.
void lower_hint(Writer& /*writer*/, const Instruction& /*instruction*/) {}

// Nothing asks for one: control_flow.cpp takes it from the end of its block.
void lower_jump(Writer& /*writer*/, const Instruction& instruction) { unsupported(instruction); }

void refuse(Writer& /*writer*/, const Instruction& instruction) { unsupported(instruction); }

}  // namespace emulator::lower
