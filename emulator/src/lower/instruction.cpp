#include "lower/instruction.h"

#include "lower/effects.h"
#include "lower/writer.h"

namespace emulator::lower {

using ptx::Instruction;
using ptx::Opcode;

bool acts_outside_registers(Opcode opcode) {
  switch (opcode) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::nanosleep:
    case Opcode::cp:
    case Opcode::mbarrier:
    case Opcode::call:
    case Opcode::alloca:
    case Opcode::stackrestore:
    case Opcode::trap:
    case Opcode::brkpt:
      return true;
    default:
      return is_warp_wide(opcode);
  }
}

void lower_instruction(Writer& writer, const Instruction& instruction) {
  require_known_words(instruction);
  writer.expect_bits_of(instruction);
  using Group = bool (*)(Writer&, const Instruction&);
  static constexpr Group kGroups[] = {
      lower_move,       lower_integer,  lower_bits,    lower_floating, lower_half,
      lower_compare,    lower_pack,     lower_convert, lower_video,    lower_video_parts,
      lower_parameter,  lower_memory,   lower_atomic,  lower_warp,     lower_matrix,
      lower_async_copy, lower_mbarrier, lower_cluster, lower_call,     lower_stack};
  for (const Group group : kGroups) {
    if (group(writer, instruction)) return;
  }
  unsupported(instruction);
}

}  // namespace emulator::lower
