// The video instructions on two halves or four bytes at once. Each part of a and of b is picked
// from the parts of both; the results are put into c, or added to it (PTX ISA, "SIMD Video
// Instructions").
#include <vector>

#include "lower/video.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;

class Parts {
 public:
  Parts(Writer& writer, const Instruction& instruction, unsigned count,
        VideoResult result = VideoResult::number)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        count_(count),
        bits_(32 / count),
        lanes_(writer.lanes_of(instruction)) {
    if (instruction.operands.size() != 4) unsupported(instruction);
    signs_ = video_signs(instruction, result);
  }

  using Operation = Value (Parts::*)(const Value& a, const Value& b);
  void run(Operation operation) {
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
      Value part = (this->*operation)(source(of_a[i], signs_.a), source(of_b[i], signs_.b));
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

  // The operations are in 32 bits, where nothing overflows.
  Value sum(const Value& a, const Value& b) { return ir_.binary("add", a, b); }
  Value difference(const Value& a, const Value& b) { return ir_.binary("sub", a, b); }
  Value average(const Value& a, const Value& b) {
    // Halves are rounded away from zero.
    const Value whole = sum(a, b);
    const Value one = ir_.resize(ir_.compare("icmp sge", whole, 0), "i32", false);
    return ir_.binary("ashr", ir_.binary("add", whole, one), 1);
  }
  Value distance(const Value& a, const Value& b) {
    return ir_.intrinsic("abs", {ir_.binary("sub", a, b), Ir::constant(0, "i1", 1)}, "i32", lanes_);
  }
  Value lesser(const Value& a, const Value& b) {
    return ir_.intrinsic("smin", {a, b}, "i32", lanes_);
  }
  Value greater(const Value& a, const Value& b) {
    return ir_.intrinsic("smax", {a, b}, "i32", lanes_);
  }
  Value comparison(const Value& a, const Value& b) {
    return ir_.resize(ir_.compare(wide_comparison(instruction_), a, b), "i32", false);
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

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned count_;
  unsigned bits_;
  unsigned lanes_;
  VideoSigns signs_{};
};

}  // namespace

void lower_vadd2(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 2).run(&Parts::sum);
}
void lower_vadd4(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 4).run(&Parts::sum);
}
void lower_vsub2(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 2).run(&Parts::difference);
}
void lower_vsub4(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 4).run(&Parts::difference);
}
void lower_vavrg2(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 2).run(&Parts::average);
}
void lower_vavrg4(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 4).run(&Parts::average);
}
void lower_vabsdiff2(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 2).run(&Parts::distance);
}
void lower_vabsdiff4(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 4).run(&Parts::distance);
}
void lower_vmin2(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 2).run(&Parts::lesser);
}
void lower_vmin4(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 4).run(&Parts::lesser);
}
void lower_vmax2(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 2).run(&Parts::greater);
}
void lower_vmax4(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 4).run(&Parts::greater);
}
void lower_vset2(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 2, VideoResult::truth).run(&Parts::comparison);
}
void lower_vset4(Writer& writer, const Instruction& instruction) {
  Parts(writer, instruction, 4, VideoResult::truth).run(&Parts::comparison);
}

}  // namespace emulator::lower
