// What the video instructions share: vadd, vset4 and their kind.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

// Whether the opcode is one whose operands may name parts of a register.
[[nodiscard]] bool is_video(ptx::Opcode opcode);

// Which of result and sources are signed. Throws ptx::Error where the types are not of 32 bits, or
// too few or many. vset, vset2 and vset4 have no type of their result, which is not signed.
struct VideoSigns {
  bool result;
  bool a;
  bool b;
};
[[nodiscard]] VideoSigns video_signs(const ptx::Instruction& instruction);

// "icmp slt" and so on for the comparison that vset, vset2 or vset4 names, of values in registers
// wider than their types.
[[nodiscard]] std::string wide_comparison(const ptx::Instruction& instruction);

// Limits of `bits` bits, as i`wide` bits.
[[nodiscard]] Value clamped(Ir& ir, const Value& value, unsigned bits, bool is_signed);

}  // namespace emulator::lower
