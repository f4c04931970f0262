// Logic, shifts and bit fields.
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;

class Bits {
 public:
  Bits(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        bits_(std::max(ptx::bits(instruction.type()), 1U)),
        is_signed_(ptx::is_signed(instruction.type())) {}

  Value operand(std::size_t i) {
    return writer_.read(instruction_.operands.at(i), element(), lanes_);
  }
  Value operand32(std::size_t i) {
    return writer_.read(instruction_.operands.at(i), "i32", lanes_);
  }
  void result(const Value& value) { writer_.write_result(instruction_, value); }

  void logic(const std::string& operation) {
    result(ir_.binary(operation, operand(1), operand(2)));
  }
  void invert() { result(ir_.binary("xor", operand(1), ~std::uint64_t{0})); }
  void is_zero() {
    result(ir_.select(ir_.compare("icmp eq", operand(1), 0), constant(1), constant(0)));
  }

  // Amounts past the width give 0, or the sign; LLVM leaves them undefined.
  void shift(bool left) {
    const Value a = operand(1);
    const Value amount32 = operand32(2);
    const Value amount = ir_.resize(amount32, element(), false);
    const Value too_far = ir_.compare("icmp uge", amount32, bits_);
    if (!left && is_signed_) {
      return result(ir_.binary("ashr", a, ir_.select(too_far, constant(bits_ - 1), amount)));
    }
    const Value safe = ir_.select(too_far, constant(0), amount);
    result(ir_.select(too_far, constant(0), ir_.binary(left ? "shl" : "lshr", a, safe)));
  }

  // shf: the 64 bits b:a, shifted by c (clamped to 32 or modulo 32); .l keeps the upper half, .r
  // the lower.
  void funnel_shift() {
    const Value low = ir_.resize(operand32(1), "i64", false);
    const Value high = ir_.resize(operand32(2), "i64", false);
    const Value whole = ir_.binary("or", ir_.binary("shl", high, 32), low);
    Value amount = operand32(3);
    if (instruction_.has(Modifier::wrap)) {
      amount = ir_.binary("and", amount, 31);
    } else {
      amount =
          ir_.select(ir_.compare("icmp ugt", amount, 32), Ir::constant(32, "i32", lanes_), amount);
    }
    amount = ir_.resize(amount, "i64", false);
    Value shifted;
    if (instruction_.has(Modifier::l)) {
      shifted = ir_.binary("lshr", ir_.binary("shl", whole, amount), 32);
    } else {
      shifted = ir_.binary("lshr", whole, amount);
    }
    result(ir_.resize(shifted, "i32", false));
  }

  // Position and length are 8-bit; what lies outside the register reads as zero, or as the sign.
  void extract_field() {
    const Value a = operand(1);
    const Value position = ir_.binary("and", operand32(2), 255);
    const Value length = ir_.binary("and", operand32(3), 255);
    const std::string wide = bits_ == 32 ? "i64" : "i128";
    // In a register twice as wide no shift is out of range but the clamped ones.
    const auto clamp = [&](const Value& v) {
      const Value clamped =
          ir_.select(ir_.compare("icmp ugt", v, bits_), Ir::constant(bits_, "i32", lanes_), v);
      return ir_.resize(clamped, wide, false);
    };
    const Value shifted =
        ir_.binary(is_signed_ ? "ashr" : "lshr", ir_.resize(a, wide, is_signed_), clamp(position));
    const Value kept = clamp(length);
    const Value unused = ir_.binary("sub", Ir::constant(2ULL * bits_, wide, lanes_), kept);
    const Value unused_safe =
        ir_.select(ir_.compare("icmp eq", kept, 0), Ir::constant(0, wide, lanes_), unused);
    const Value field = ir_.binary(is_signed_ ? "ashr" : "lshr",
                                   ir_.binary("shl", shifted, unused_safe), unused_safe);
    const Value none = ir_.compare("icmp eq", kept, 0);
    result(ir_.resize(ir_.select(none, Ir::constant(0, wide, lanes_), field), element(), false));
  }

  void insert_field() {
    const Value a = operand(1);
    const Value b = operand(2);
    const Value position = ir_.binary("and", operand32(3), 255);
    const Value length = ir_.binary("and", operand32(4), 255);
    const std::string wide = bits_ == 32 ? "i64" : "i128";
    const auto clamp = [&](const Value& v) {
      const Value clamped =
          ir_.select(ir_.compare("icmp ugt", v, bits_), Ir::constant(bits_, "i32", lanes_), v);
      return ir_.resize(clamped, wide, false);
    };
    const Value one = Ir::constant(1, wide, lanes_);
    const Value ones = ir_.binary("sub", ir_.binary("shl", one, clamp(length)), one);
    const Value mask = ir_.resize(ir_.binary("shl", ones, clamp(position)), element(), false);
    const Value field = ir_.resize(ir_.binary("shl", ir_.resize(a, wide, false), clamp(position)),
                                   element(), false);
    const Value outside = ir_.binary("and", b, ir_.binary("xor", mask, ~std::uint64_t{0}));
    result(ir_.binary("or", ir_.binary("and", field, mask), outside));
  }

  void field_mask() {
    const Value position = operand32(1);
    const Value length = operand32(2);
    const auto clamp = [&](const Value& v) {
      const Value limited =
          instruction_.has(Modifier::wrap)
              ? ir_.binary("and", v, 31)
              : ir_.select(ir_.compare("icmp ugt", v, 32), Ir::constant(32, "i32", lanes_), v);
      return ir_.resize(limited, "i64", false);
    };
    const Value one = Ir::constant(1, "i64", lanes_);
    const Value ones = ir_.binary("sub", ir_.binary("shl", one, clamp(length)), one);
    result(ir_.resize(ir_.binary("shl", ones, clamp(position)), "i32", false));
  }

  void reverse() { result(ir_.intrinsic("bitreverse", {operand(1)}, element(), lanes_)); }
  void count_ones() { count(ir_.intrinsic("ctpop", {operand(1)}, element(), lanes_)); }
  void count_leading_zeros() {
    const Value a = operand(1);
    count(ctlz(a));
  }

  // Position of the most significant bit that differs from the sign (0 for unsigned); all ones
  // where there is none.
  void find_leading() {
    Value a = operand(1);
    if (is_signed_) {
      const Value sign = ir_.binary("ashr", a, bits_ - 1);
      a = ir_.binary("xor", a, sign);
    }
    const Value zeros = ir_.resize(ctlz(a), "i32", false);
    const Value position = instruction_.has(Modifier::shiftamt)
                               ? zeros
                               : ir_.binary("sub", Ir::constant(bits_ - 1, "i32", lanes_), zeros);
    const Value none = ir_.compare("icmp eq", a, 0);
    result(ir_.select(none, Ir::constant(~std::uint64_t{0}, "i32", lanes_), position));
  }

  // Four bytes picked from the eight of b:a by the nibbles of c; bit 3 of a nibble replicates the
  // byte's sign.
  void permute() {
    const Value low = ir_.resize(operand32(1), "i64", false);
    const Value high = ir_.resize(operand32(2), "i64", false);
    const Value bytes = ir_.binary("or", ir_.binary("shl", high, 32), low);
    const Value selector = operand32(3);
    if (has_mode()) return permute_mode(bytes, selector);
    Value packed = Ir::constant(0, "i32", lanes_);
    for (unsigned i = 0; i < 4; ++i) {
      const Value nibble = ir_.binary("lshr", selector, std::uint64_t{4} * i);
      const Value index = ir_.binary("and", nibble, 7);
      Value byte = picked(bytes, index);
      const Value sign = ir_.binary("ashr", ir_.binary("shl", byte, 24), 31);
      const Value replicated = ir_.compare("icmp ne", ir_.binary("and", nibble, 8), 0);
      byte = ir_.select(replicated, ir_.binary("and", sign, 255), byte);
      packed = ir_.binary("or", packed, ir_.binary("shl", byte, std::uint64_t{8} * i));
    }
    result(packed);
  }

  // Any function of three bits, as a sum over the table's ones.
  void three_way_logic() {
    const Value a = operand32(1);
    const Value b = operand32(2);
    const Value c = operand32(3);
    const auto* immediate = std::get_if<ptx::Immediate>(&instruction_.operands.at(4).value);
    if (immediate == nullptr) unsupported(instruction_, "the table of lop3 is a constant");
    const auto inverted = [&](const Value& v) { return ir_.binary("xor", v, ~std::uint64_t{0}); };
    Value sum = Ir::constant(0, "i32", lanes_);
    for (unsigned row = 0; row < 8; ++row) {
      if (((immediate->bits >> row) & 1U) == 0) continue;
      const Value x = (row & 4U) != 0 ? a : inverted(a);
      const Value y = (row & 2U) != 0 ? b : inverted(b);
      const Value z = (row & 1U) != 0 ? c : inverted(c);
      sum = ir_.binary("or", sum, ir_.binary("and", x, ir_.binary("and", y, z)));
    }
    // lop3.or.b32 d|p, .., q: p says whether d is anything but zero, combined with q.
    const auto* pair = std::get_if<ptx::Pair>(&instruction_.operands.at(0).value);
    if (pair == nullptr) return result(sum);
    const Value other = writer_.read(instruction_.operands.at(5), "i1", lanes_);
    const Value any = ir_.compare("icmp ne", sum, 0);
    const bool joins = instruction_.has(Modifier::or_);
    if (!joins && !instruction_.has(Modifier::and_)) unsupported(instruction_);
    writer_.write(pair->both.at(0), sum, writer_.result(instruction_));
    writer_.write(pair->both.at(1), ir_.binary(joins ? "or" : "and", any, other),
                  writer_.result(instruction_));
  }

  // The position of the bit that is the n-th one from `base` on: n positive counts upwards from
  // there, negative downwards, 0 asks for the bit itself. All ones where there is none.
  void find_nth_set() {
    const Value mask = operand32(1);
    const Value base = operand32(2);
    const Value n = operand32(3);
    const Value none = constant(~std::uint64_t{0});
    const Value down = ir_.compare("icmp slt", n, 0);
    // Counting downwards is counting upwards in the mirrored mask.
    const Value turned = ir_.select(down, ir_.intrinsic("bitreverse", {mask}, "i32", lanes_), mask);
    const Value start = ir_.select(down, ir_.binary("sub", constant(31), base), base);
    const Value wanted = ir_.select(down, ir_.binary("sub", constant(0), n),
                                    ir_.select(ir_.compare("icmp eq", n, 0), constant(1), n));
    Value found = none;
    Value seen = constant(0);
    for (unsigned i = 0; i < 32; ++i) {
      const Value bit = ir_.binary("and", ir_.binary("lshr", turned, i), 1);
      const Value counts = ir_.binary("and", ir_.compare("icmp ne", bit, 0),
                                      ir_.compare("icmp ule", start, constant(i)));
      seen = ir_.binary("add", seen, ir_.resize(counts, "i32", false));
      const Value hit = ir_.binary("and", counts, ir_.compare("icmp eq", seen, wanted));
      found = ir_.select(hit, constant(i), found);
    }
    // Only the first bit at all is asked for where n is 0.
    const Value elsewhere =
        ir_.binary("and", ir_.compare("icmp eq", n, 0), ir_.compare("icmp ne", found, base));
    const Value missing = ir_.binary("or", elsewhere, ir_.compare("icmp eq", found, none));
    const Value unturned = ir_.select(down, ir_.binary("sub", constant(31), found), found);
    const Value outside = ir_.compare("icmp ugt", base, 31);
    result(ir_.select(ir_.binary("or", missing, outside), none, unturned));
  }

  // The lowest b bits of a, extended with zeros or their sign.
  void extend_field() {
    const Value a = operand32(1);
    const Value b = operand32(2);
    const Value count = ir_.binary("and", b, 31);
    const Value unused = ir_.binary("and", ir_.binary("sub", constant(32), count), 31);
    const Value field =
        ir_.binary(is_signed_ ? "ashr" : "lshr", ir_.binary("shl", a, unused), unused);
    const Value none = ir_.select(ir_.compare("icmp eq", count, 0), constant(0), field);
    if (!instruction_.has(Modifier::clamp)) return result(none);
    result(ir_.select(ir_.compare("icmp ugt", b, 31), a, none));
  }

 private:
  [[nodiscard]] std::string element() const { return "i" + std::to_string(bits_); }
  [[nodiscard]] Value constant(std::uint64_t v) const { return Ir::constant(v, element(), lanes_); }
  void count(const Value& value) { result(ir_.resize(value, "i32", false)); }
  Value ctlz(const Value& a) {
    return ir_.intrinsic("ctlz", {a, Ir::constant(0, "i1", 1)}, element(), lanes_);
  }

  Value picked(const Value& bytes, const Value& index) {
    const Value shift = ir_.binary("shl", ir_.resize(index, "i64", false), 3);
    return ir_.resize(ir_.binary("and", ir_.binary("lshr", bytes, shift), 255), "i32", false);
  }

  [[nodiscard]] bool has_mode() const {
    for (const Modifier mode : {Modifier::f4e, Modifier::b4e, Modifier::rc8, Modifier::ecl,
                                Modifier::ecr, Modifier::rc16}) {
      if (instruction_.has(mode)) return true;
    }
    return false;
  }

  // The fixed patterns of prmt: which byte stands at place i for selector s.
  void permute_mode(const Value& bytes, const Value& selector) {
    const Value s = ir_.binary("and", selector, 3);
    Value packed = Ir::constant(0, "i32", lanes_);
    for (unsigned i = 0; i < 4; ++i) {
      const Value place = Ir::constant(i, "i32", lanes_);
      Value index;
      if (instruction_.has(Modifier::f4e)) {
        index = ir_.binary("add", s, place);
      } else if (instruction_.has(Modifier::b4e)) {
        index = ir_.binary("and", ir_.binary("sub", s, place), 7);
      } else if (instruction_.has(Modifier::rc8)) {
        index = s;
      } else if (instruction_.has(Modifier::ecl)) {
        index = ir_.select(ir_.compare("icmp ugt", s, place), s, place);
      } else if (instruction_.has(Modifier::ecr)) {
        index = ir_.select(ir_.compare("icmp ult", s, place), s, place);
      } else {
        index = ir_.binary("add", ir_.binary("shl", ir_.binary("and", s, 1), 1), i & 1U);
      }
      packed =
          ir_.binary("or", packed, ir_.binary("shl", picked(bytes, index), std::uint64_t{8} * i));
    }
    result(packed);
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  unsigned bits_;
  bool is_signed_;
};

}  // namespace

void lower_and(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).logic("and");
}
void lower_or(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).logic("or");
}
void lower_xor(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).logic("xor");
}
void lower_not(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).invert();
}
void lower_cnot(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).is_zero();
}
void lower_shl(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).shift(true);
}
void lower_shr(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).shift(false);
}
void lower_shf(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).funnel_shift();
}
void lower_bfe(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).extract_field();
}
void lower_bfi(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).insert_field();
}
void lower_bmsk(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).field_mask();
}
void lower_brev(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).reverse();
}
void lower_popc(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).count_ones();
}
void lower_clz(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).count_leading_zeros();
}
void lower_bfind(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).find_leading();
}
void lower_prmt(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).permute();
}
void lower_fns(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).find_nth_set();
}
void lower_szext(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).extend_field();
}
void lower_lop3(Writer& writer, const Instruction& instruction) {
  Bits(writer, instruction).three_way_logic();
}

}  // namespace emulator::lower
