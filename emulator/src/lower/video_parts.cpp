// The video instructions on two halves or four bytes at once. Each part of a and of b is picked
// from the parts of both; the results are put into c, or added to it (PTX ISA, "SIMD Video
// Instructions").
#include <vector>

#include "lower/video.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;

class Parts {
 public:
  Parts(Writer& writer, const Instruction& instruction, unsigned count)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        count_(count),
        bits_(32 / count),
        lanes_(writer.lanes_of(instruction)) {
    if (instruction.operands.size() != 4) unsupported(instruction);
    signs_ = video_signs(instruction);
  }

  void run() {
    const bool adds = instruction_.has(Modifier::add);
    const bool saturates = instruction_.has(Modifier::sat);
    if (adds && saturates) unsupported(instruction_);
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    const std::vector<bool> wanted = written_parts();
    const std::vector<unsigned> of_a = picked(1, 0);
    const std::vector<unsigned> of_b = picked(2, count_);
    Value result = writer_.read(instruction_.operands[3], "i32", lanes_);
    for (unsigned i = 0; i < count_; ++i) {
      if (!wanted[i]) continue;
      Value part = operation(source(of_a[i], signs_.a), source(of_b[i], signs_.b));
      if (adds) {
        result = ir_.binary("add", result, part);
        continue;
      }
      if (saturates) part = clamped(ir_, part, bits_, signs_.result);
      const std::uint64_t shift = std::uint64_t{bits_} * i;
      const Value kept = ir_.binary("and", result, ~(mask << shift) & 0xFFFFFFFFU);
      result = ir_.binary("or", kept, ir_.binary("shl", ir_.binary("and", part, mask), shift));
    }
    writer_.write_result(instruction_, result);
  }

 private:
  // The parts of the result that the destination's mask names; all where it has none.
  std::vector<bool> written_parts() {
    const auto& selector = instruction_.operands[0].selector;
    std::vector<bool> wanted(count_, !selector);
    if (!selector) return wanted;
    if (selector->part_bits != bits_) unsupported(instruction_);
    for (const std::uint8_t digit : selector->digits) {
      if (digit >= count_) unsupported(instruction_);
      wanted[digit] = true;
    }
    return wanted;
  }

  // Which of the parts of a, and behind them those of b, the operand takes; `first` on by default.
  std::vector<unsigned> picked(std::size_t operand, unsigned first) {
    const auto& selector = instruction_.operands[operand].selector;
    std::vector<unsigned> parts(count_);
    if (selector && (selector->part_bits != bits_ || selector->digits.size() != count_)) {
      unsupported(instruction_);
    }
    for (unsigned i = 0; i < count_; ++i) parts[i] = selector ? selector->digits[i] : first + i;
    return parts;
  }

  Value source(unsigned part, bool is_signed) {
    const Value whole = writer_.read(instruction_.operands[part < count_ ? 1 : 2], "i32", lanes_);
    const std::uint64_t above = 32 - std::uint64_t{bits_} * (part % count_ + 1);
    return ir_.binary(is_signed ? "ashr" : "lshr", ir_.binary("shl", whole, above), 32 - bits_);
  }

  // In 32 bits, where nothing overflows.
  Value operation(const Value& a, const Value& b) {
    switch (instruction_.opcode) {
      case Opcode::vadd2:
      case Opcode::vadd4:
        return ir_.binary("add", a, b);
      case Opcode::vsub2:
      case Opcode::vsub4:
        return ir_.binary("sub", a, b);
      case Opcode::vavrg2:
      case Opcode::vavrg4: {
        // Halves are rounded away from zero.
        const Value sum = ir_.binary("add", a, b);
        const Value one = ir_.resize(ir_.compare("icmp sge", sum, 0), "i32", false);
        return ir_.binary("ashr", ir_.binary("add", sum, one), 1);
      }
      case Opcode::vabsdiff2:
      case Opcode::vabsdiff4:
        return ir_.intrinsic("abs", {ir_.binary("sub", a, b), Ir::constant(0, "i1", 1)}, "i32",
                             lanes_);
      case Opcode::vmin2:
      case Opcode::vmin4:
        return ir_.intrinsic("smin", {a, b}, "i32", lanes_);
      case Opcode::vmax2:
      case Opcode::vmax4:
        return ir_.intrinsic("smax", {a, b}, "i32", lanes_);
      default:
        return ir_.resize(ir_.compare(wide_comparison(instruction_), a, b), "i32", false);
    }
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned count_;
  unsigned bits_;
  unsigned lanes_;
  VideoSigns signs_{};
};

}  // namespace

bool lower_video_parts(Writer& writer, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::vadd2:
    case Opcode::vsub2:
    case Opcode::vavrg2:
    case Opcode::vabsdiff2:
    case Opcode::vmin2:
    case Opcode::vmax2:
    case Opcode::vset2:
      Parts(writer, instruction, 2).run();
      return true;
    case Opcode::vadd4:
    case Opcode::vsub4:
    case Opcode::vavrg4:
    case Opcode::vabsdiff4:
    case Opcode::vmin4:
    case Opcode::vmax4:
    case Opcode::vset4:
      Parts(writer, instruction, 4).run();
      return true;
    default:
      return false;
  }
}

}  // namespace emulator::lower
