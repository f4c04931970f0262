#include "lower/parameters.h"

#include <algorithm>

#include "lower/writer.h"

namespace emulator::lower {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Space;

bool lower_parameter(Writer& writer, const Instruction& instruction) {
  const bool stores = instruction.opcode == Opcode::st;
  if (instruction.space != Space::param) return false;
  const auto& operand = instruction.operands.at(stores ? 0 : 1);
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  if (address == nullptr) return false;
  const auto* symbol = std::get_if<ptx::Symbol>(&address->base);
  if (symbol == nullptr) return false;
  const std::vector<ptx::Operand> registers = elements_of(instruction.operands.at(stores ? 1 : 0));
  const unsigned bytes = ptx::bits(instruction.type()) / 8;
  const std::string element = integer_of(instruction.type());
  if (symbol->where == ptx::Symbol::Where::parameter && !stores) {
    // An offset in the text may be any number of 64 bits: nothing is added to one that is too
    // large.
    const auto begin = static_cast<std::int64_t>(writer.layout().parameters.at(symbol->index));
    const auto end = static_cast<std::int64_t>(writer.layout().parameter_bytes);
    const auto span = static_cast<std::int64_t>(registers.size() * bytes);
    const std::int64_t offset = begin + std::clamp<std::int64_t>(address->offset, -begin - 1, end);
    if (offset < 0 || offset > end || span > end - offset) {
      throw ptx::Error(instruction.where,
                       "'" + instruction.text + "' reads past the kernel's parameters");
    }
    for (std::size_t e = 0; e < registers.size(); ++e) {
      const Value pointer = writer.ir.pointer_offset(
          writer.parameters(), static_cast<std::uint64_t>(offset) + e * bytes);
      writer.write(registers[e], writer.ir.load(pointer, element, 1, 1), LaneValues::uniform(64),
                   ptx::is_signed(instruction.type()));
    }
    return true;
  }
  if (symbol->where != ptx::Symbol::Where::local_variable) return false;
  for (std::size_t e = 0; e < registers.size(); ++e) {
    const Value slot =
        writer.call_slot(instruction, symbol->index,
                         address->offset + static_cast<std::int64_t>(e * bytes), element);
    if (stores) {
      // Lanes that came here on another way have values of their own there.
      Value value = writer.read_bits(registers[e], instruction.type(), kLanes);
      if (!writer.mask_is_full()) {
        value = writer.ir.select(writer.ir.from_mask(writer.mask()), value,
                                 writer.ir.load(slot, element, kLanes, 64));
      }
      writer.ir.store(value, slot, 64);
    } else {
      writer.write(registers[e], writer.ir.load(slot, element, kLanes, 64), LaneValues::any(),
                   ptx::is_signed(instruction.type()));
    }
  }
  return true;
}

}  // namespace emulator::lower
