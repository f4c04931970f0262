// What the video instructions share: vadd, vset4 and their kind.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

// Of vset, vset2 and vset4, which compare, the result has no type, and is not signed.
enum class VideoResult : std::uint8_t { number, truth };

// Which of result and sources are signed. Throws ptx::Error where the types are not of 32 bits, or
// too few or many.
struct VideoSigns {
  bool result;
  bool a;
  bool b;
};
[[nodiscard]] VideoSigns video_signs(const ptx::Instruction& instruction, VideoResult result);

// "icmp slt" and so on for the comparison that vset, vset2 or vset4 names, of values in registers
// wider than their types.
[[nodiscard]] std::string wide_comparison(const ptx::Instruction& instruction);

// Limits of `bits` bits, as i`wide` bits.
[[nodiscard]] Value clamped(Ir& ir, const Value& value, unsigned bits, bool is_signed);

}  // namespace emulator::lower
