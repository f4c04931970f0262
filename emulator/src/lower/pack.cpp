#include "lower/pack.h"

#include <algorithm>
#include <array>

#include "lower/video.h"
#include "lower/writer.h"

namespace emulator::lower {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

void convert_packed(Writer& writer, const Instruction& instruction) {
  static constexpr std::array kNarrow = {Type::u2, Type::s2, Type::u4,  Type::s4,
                                         Type::u8, Type::s8, Type::u16, Type::s16};
  const auto& types = instruction.types;
  if (types.size() < 2 || std::ranges::find(kNarrow, types[0]) == kNarrow.end() ||
      types[1] != Type::s32 || !instruction.has(Modifier::sat)) {
    unsupported(instruction);
  }
  const unsigned bits = ptx::bits(types[0]);
  const bool merges = bits < 16;
  if (types.size() != (merges ? 3 : 2) || instruction.operands.size() != (merges ? 4 : 3) ||
      (merges && types[2] != Type::b32)) {
    unsupported(instruction);
  }
  Ir& ir = writer.ir;
  const unsigned lanes = writer.lanes_of(instruction);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto narrowed = [&](std::size_t operand) {
    const Value value = writer.read(instruction.operands[operand], "i32", lanes);
    return ir.binary("and", clamped(ir, value, bits, ptx::is_signed(types[0])), mask);
  };
  // a above b, c above both.
  Value packed = ir.binary("or", ir.binary("shl", narrowed(1), bits), narrowed(2));
  if (merges) {
    const Value c = writer.read(instruction.operands[3], "i32", lanes);
    packed = ir.binary("or", packed, ir.binary("shl", c, 2 * std::uint64_t{bits}));
  }
  writer.write_result(instruction, packed);
}

}  // namespace emulator::lower
