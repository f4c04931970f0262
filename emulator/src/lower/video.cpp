// The scalar video instructions. Operands are bytes, halves or words, extended by their type's
// sign; the result is optionally clamped, and combined with or put into a third operand (PTX ISA,
// "Scalar Video Instructions").
#include "lower/video.h"

#include <array>
#include <cstdint>
#include <utility>

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

// What a result that is not clamped is cut down to before the secondary operation.
constexpr unsigned kIntermediateBits = 33;

// What is computed in: in 64 bits everything fits but products and words shifted by up to 32 bits.
constexpr const char* kLong = "i64";
constexpr const char* kLonger = "i128";

class Video {
 public:
  Video(Writer& writer, const Instruction& instruction, const char* wide = kLong,
        VideoResult result = VideoResult::number)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        wide_(wide),
        signs_(video_signs(instruction, result)) {}

  using Primary = Value (Video::*)(const Value& a, const Value& b);
  void run(Primary primary) {
    const auto& destination = instruction_.operands.at(0);
    const bool combines = instruction_.has(Modifier::add) || instruction_.has(Modifier::min) ||
                          instruction_.has(Modifier::max);
    const std::size_t operands = combines || destination.selector ? 4 : 3;
    if (instruction_.operands.size() != operands || (combines && destination.selector)) {
      unsupported(instruction_);
    }
    const unsigned bits = destination.selector ? destination.selector->part_bits : 32;
    Value result = (this->*primary)(part(1, signs_.a), part(2, signs_.b));
    if (instruction_.has(Modifier::sat)) {
      result = clamped(ir_, result, bits, signs_.result);
    } else {
      const std::uint64_t unused = bits_of(wide_) - kIntermediateBits;
      result = ir_.binary("ashr", ir_.binary("shl", result, unused), unused);
    }
    if (combines) result = secondary(result, part(3, signs_.result));
    result = ir_.resize(result, "i32", false);
    if (destination.selector) result = merged(result, bits, place(*destination.selector));
    writer_.write_result(instruction_, result);
  }

  Value sum(const Value& a, const Value& b) { return ir_.binary("add", a, b); }
  Value difference(const Value& a, const Value& b) { return ir_.binary("sub", a, b); }
  Value distance(const Value& a, const Value& b) {
    return ir_.intrinsic("abs", {ir_.binary("sub", a, b), Ir::constant(0, "i1", 1)}, wide_, lanes_);
  }
  Value lesser(const Value& a, const Value& b) {
    return ir_.intrinsic("smin", {a, b}, wide_, lanes_);
  }
  Value greater(const Value& a, const Value& b) {
    return ir_.intrinsic("smax", {a, b}, wide_, lanes_);
  }
  Value comparison(const Value& a, const Value& b) {
    return ir_.resize(ir_.compare(wide_comparison(instruction_), a, b), wide_, false);
  }
  Value shifted_left(const Value& a, const Value& b) { return ir_.binary("shl", a, amount(b)); }
  Value shifted_right(const Value& a, const Value& b) { return ir_.binary("ashr", a, amount(b)); }

  // a * b + c, of which either the product or c may be negated (PTX ISA, vmad).
  void multiply() {
    const auto& operands = instruction_.operands;
    if (operands.size() != 4 || operands[0].selector || operands[3].selector) {
      unsupported(instruction_);
    }
    const bool negates_product = operands[1].negated != operands[2].negated;
    const bool negates_c = operands[3].negated;
    const bool plus_one = instruction_.has(Modifier::po);
    const bool negates = operands[1].negated || operands[2].negated || negates_c;
    if ((plus_one && negates) || (negates_product && negates_c)) unsupported(instruction_);
    const bool is_signed = signs_.a || signs_.b || negates_product || negates_c;
    Value product = ir_.binary("mul", part(1, signs_.a), part(2, signs_.b));
    Value c = part(3, is_signed);
    const Value zero = Ir::constant(0, wide_, lanes_);
    if (negates_product) product = ir_.binary("sub", zero, product);
    if (negates_c) c = ir_.binary("sub", zero, c);
    Value sum = ir_.binary("add", product, c);
    if (plus_one) sum = ir_.binary("add", sum, 1);
    if (instruction_.has(Modifier::shr7)) sum = ir_.binary("ashr", sum, 7);
    if (instruction_.has(Modifier::shr15)) sum = ir_.binary("ashr", sum, 15);
    if (instruction_.has(Modifier::sat)) sum = clamped(ir_, sum, 32, is_signed);
    writer_.write_result(instruction_, ir_.resize(sum, "i32", false));
  }

 private:
  // The one part that the operand names, where it names one.
  unsigned place(const ptx::Selector& selector) {
    if (selector.digits.size() != 1 || selector.digits[0] >= 32 / selector.part_bits) {
      unsupported(instruction_);
    }
    return selector.digits[0];
  }

  Value part(std::size_t index, bool is_signed) {
    ptx::Operand operand = instruction_.operands.at(index);
    operand.negated = false;  // of vmad's, which negates what was extended
    Value value = writer_.read(operand, "i32", lanes_);
    if (operand.selector) {
      const unsigned bits = operand.selector->part_bits;
      const unsigned above = 32 - bits * (place(*operand.selector) + 1);
      value = ir_.binary("shl", value, above);
      value = ir_.binary(is_signed ? "ashr" : "lshr", value, 32 - std::uint64_t{bits});
    }
    return ir_.resize(value, wide_, is_signed);
  }

  Value amount(const Value& b) {
    const bool wraps = instruction_.has(Modifier::wrap);
    if (signs_.b || wraps == instruction_.has(Modifier::clamp)) unsupported(instruction_);
    return wraps ? ir_.binary("and", b, 31)
                 : ir_.intrinsic("umin", {b, Ir::constant(32, wide_, lanes_)}, wide_, lanes_);
  }

  Value secondary(const Value& result, const Value& c) {
    if (instruction_.has(Modifier::add)) return ir_.binary("add", result, c);
    return ir_.intrinsic(instruction_.has(Modifier::min) ? "smin" : "smax", {result, c}, wide_,
                         lanes_);
  }

  // The result in its place in c.
  Value merged(const Value& result, unsigned bits, unsigned place) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const std::uint64_t shift = std::uint64_t{bits} * place;
    const Value c = writer_.read(instruction_.operands.at(3), "i32", lanes_);
    const Value kept = ir_.binary("and", c, ~(mask << shift) & 0xFFFFFFFFU);
    return ir_.binary("or", kept, ir_.binary("shl", ir_.binary("and", result, mask), shift));
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  std::string wide_;
  VideoSigns signs_;
};

}  // namespace

VideoSigns video_signs(const Instruction& instruction, VideoResult result) {
  const std::size_t first = result == VideoResult::truth ? 0 : 1;
  if (instruction.types.size() != first + 2) unsupported(instruction);
  for (const Type type : instruction.types) {
    if (type != Type::u32 && type != Type::s32) unsupported(instruction);
  }
  return {.result = result == VideoResult::number && ptx::is_signed(instruction.types[0]),
          .a = ptx::is_signed(instruction.types[first]),
          .b = ptx::is_signed(instruction.types[first + 1])};
}

std::string wide_comparison(const Instruction& instruction) {
  constexpr std::array<std::pair<Modifier, const char*>, 6> kRows = {{
      {Modifier::eq, "icmp eq"},
      {Modifier::ne, "icmp ne"},
      {Modifier::lt, "icmp slt"},
      {Modifier::le, "icmp sle"},
      {Modifier::gt, "icmp sgt"},
      {Modifier::ge, "icmp sge"},
  }};
  for (const auto& [modifier, comparison] : kRows) {
    if (instruction.has(modifier)) return comparison;
  }
  unsupported(instruction);
}

Value clamped(Ir& ir, const Value& value, unsigned bits, bool is_signed) {
  const std::uint64_t highest = (std::uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const Value high = Ir::constant(highest, value.element, value.lanes);
  const Value zero = Ir::constant(0, value.element, value.lanes);
  const Value low =
      is_signed ? ir.binary("sub", zero, Ir::constant(highest + 1, value.element, value.lanes))
                : zero;
  const Value above = ir.intrinsic("smax", {value, low}, value.element, value.lanes);
  return ir.intrinsic("smin", {above, high}, value.element, value.lanes);
}

void lower_vadd(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction).run(&Video::sum);
}
void lower_vsub(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction).run(&Video::difference);
}
void lower_vabsdiff(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction).run(&Video::distance);
}
void lower_vmin(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction).run(&Video::lesser);
}
void lower_vmax(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction).run(&Video::greater);
}
void lower_vset(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction, kLong, VideoResult::truth).run(&Video::comparison);
}
void lower_vshl(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction, kLonger).run(&Video::shifted_left);
}
void lower_vshr(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction).run(&Video::shifted_right);
}
void lower_vmad(Writer& writer, const Instruction& instruction) {
  Video(writer, instruction, kLonger).multiply();
}

}  // namespace emulator::lower
