#include "lower/effects.h"

#include <variant>

namespace emulator::lower {
namespace {

using ptx::Modifier;
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

bool is_of_matrices(Opcode opcode) {
  switch (opcode) {
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::wmma:
      return true;
    default:
      return false;
  }
}

bool is_warp_wide(Opcode opcode) {
  switch (opcode) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
      return true;
    default:
      return is_of_matrices(opcode);
  }
}

bool has_result(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::st:
    case Opcode::red:
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::brkpt:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::nanosleep:
    case Opcode::pmevent:
    case Opcode::cp:
    case Opcode::stmatrix:
    case Opcode::setmaxnreg:
    case Opcode::griddepcontrol:
    case Opcode::stackrestore:
      return false;
    case Opcode::bar:
    case Opcode::barrier:
      return instruction.has(Modifier::red);
    case Opcode::mbarrier:
      // Of the others, those that have none begin with an address.
      return !instruction.has(Modifier::init) && !instruction.has(Modifier::inval);
    case Opcode::wgmma:
      return instruction.has(Modifier::mma_async);
    case Opcode::wmma:
      return !instruction.has(Modifier::store);
    default:
      return true;  // a call's first operand is its list of results, empty or not
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

}  // namespace emulator::lower
