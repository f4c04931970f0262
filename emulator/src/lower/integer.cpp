// Integer arithmetic.
#include "lower/arithmetic.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

class Integer {
 public:
  Integer(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        bits_(ptx::bits(instruction.type())),
        is_signed_(ptx::is_signed(instruction.type())) {}

  Value operand(std::size_t i) {
    return writer_.read(instruction_.operands.at(i), element(), lanes_);
  }
  void result(const Value& value) { writer_.write_result(instruction_, value, is_signed_); }

  void add_or_subtract(bool subtracts) {
    const Value a = operand(1);
    const Value b = operand(2);
    if (instruction_.has(Modifier::sat)) {
      return result(ir_.intrinsic(subtracts ? "ssub.sat" : "sadd.sat", {a, b}, element(), lanes_));
    }
    if (instruction_.has(Modifier::cc)) return with_carry(a, b, subtracts, false);
    result(ir_.binary(subtracts ? "sub" : "add", a, b));
  }

  // addc and subc; their .cc forms set the carry again.
  void with_carry_in(bool subtracts) { with_carry(operand(1), operand(2), subtracts, true); }

  void multiply(bool accumulates, bool takes_carry = false) {
    if (instruction_.has(Modifier::wide)) {
      const std::string wide = "i" + std::to_string(2 * bits_);
      const Value product = ir_.binary("mul", ir_.resize(operand(1), wide, is_signed_),
                                       ir_.resize(operand(2), wide, is_signed_));
      if (!accumulates) return result(product);
      return result(
          ir_.binary("add", product, writer_.read(instruction_.operands.at(3), wide, lanes_)));
    }
    Value product =
        instruction_.has(Modifier::hi) ? high_product() : ir_.binary("mul", operand(1), operand(2));
    if (!accumulates) return result(product);
    if (instruction_.has(Modifier::sat)) {
      return result(ir_.intrinsic("sadd.sat", {product, operand(3)}, element(), lanes_));
    }
    if (takes_carry || instruction_.has(Modifier::cc)) {
      return with_carry(product, operand(3), false, takes_carry);
    }
    result(ir_.binary("add", product, operand(3)));
  }

  void multiply24(bool accumulates) {
    const auto low24 = [&](const Value& v) {
      const Value up = ir_.binary("shl", v, 8);
      return ir_.resize(ir_.binary(is_signed_ ? "ashr" : "lshr", up, 8), "i64", is_signed_);
    };
    Value product = ir_.binary("mul", low24(operand(1)), low24(operand(2)));
    if (instruction_.has(Modifier::hi)) product = ir_.binary("lshr", product, 16);
    product = ir_.resize(product, element(), false);
    if (!accumulates) return result(product);
    if (instruction_.has(Modifier::sat)) {
      return result(ir_.intrinsic("sadd.sat", {product, operand(3)}, element(), lanes_));
    }
    result(ir_.binary("add", product, operand(3)));
  }

  // Division by zero gives all ones on NVIDIA hardware, the remainder too, and the smallest integer
  // by -1 gives itself; LLVM leaves both undefined, so the divisor is replaced there.
  void divide(bool remainder) {
    const Value a = operand(1);
    const Value b = operand(2);
    const Value zero = ir_.compare("icmp eq", b, 0);
    const Value one = Ir::constant(1, element(), lanes_);
    Value divisor = ir_.select(zero, one, b);
    Value minus_one;
    if (is_signed_) {
      minus_one = ir_.compare("icmp eq", divisor, ~std::uint64_t{0});
      divisor = ir_.select(minus_one, one, divisor);
    }
    const std::string operation = std::string(is_signed_ ? "s" : "u") + (remainder ? "rem" : "div");
    Value quotient = ir_.binary(operation, a, divisor);
    if (is_signed_ && !remainder) {
      quotient =
          ir_.select(minus_one, ir_.binary("sub", Ir::constant(0, element(), lanes_), a), quotient);
    }
    result(ir_.select(zero, Ir::constant(~std::uint64_t{0}, element(), lanes_), quotient));
  }

  void absolute() {
    const Value a = operand(1);
    const Value negative = ir_.compare("icmp slt", a, 0);
    result(ir_.select(negative, negated(a), a));
  }
  void negate() { result(negated(operand(1))); }

  void extreme(const std::string& which) {
    const Value a = operand(1);
    const Value b = operand(2);
    const std::string less = is_signed_ ? "icmp slt" : "icmp ult";
    Value value = which == "min" ? ir_.select(ir_.compare(less, a, b), a, b)
                                 : ir_.select(ir_.compare(less, a, b), b, a);
    if (instruction_.has(Modifier::relu)) {
      value =
          ir_.select(ir_.compare("icmp slt", value, 0), Ir::constant(0, element(), lanes_), value);
    }
    result(value);
  }

  // |a - b| + c
  void sum_of_differences() {
    const Value a = operand(1);
    const Value b = operand(2);
    const Value less = ir_.compare(is_signed_ ? "icmp slt" : "icmp ult", a, b);
    const Value difference = ir_.select(less, ir_.binary("sub", b, a), ir_.binary("sub", a, b));
    result(ir_.binary("add", operand(3), difference));
  }

  // Four byte products (dp4a), or two of 16 bits with bytes (dp2a), added to c.
  void dot_product(unsigned parts) {
    const Value a = writer_.read(instruction_.operands.at(1), "i32", lanes_);
    const Value b = writer_.read(instruction_.operands.at(2), "i32", lanes_);
    Value sum = writer_.read(instruction_.operands.at(3), "i32", lanes_);
    const bool a_signed = ptx::is_signed(instruction_.types.at(0));
    const bool b_signed = ptx::is_signed(instruction_.types.at(1));
    const unsigned a_bits = 32 / parts;
    const unsigned first_byte = instruction_.has(Modifier::hi) ? 2 : 0;
    const auto field = [&](const Value& v, unsigned offset, unsigned width, bool field_signed) {
      const Value up = ir_.binary("shl", v, 32 - width - offset);
      return ir_.binary(field_signed ? "ashr" : "lshr", up, 32 - width);
    };
    for (unsigned i = 0; i < parts; ++i) {
      const Value x = field(a, i * a_bits, a_bits, a_signed);
      const Value y = field(b, (first_byte + i) * 8, 8, b_signed);
      sum = ir_.binary("add", sum, ir_.binary("mul", x, y));
    }
    result(sum);
  }

 private:
  [[nodiscard]] std::string element() const { return "i" + std::to_string(bits_); }
  Value negated(const Value& v) {
    return ir_.binary("sub", Ir::constant(0, v.element, v.lanes), v);
  }

  Value high_product() {
    const std::string wide = "i" + std::to_string(2 * bits_);
    const Value product = ir_.binary("mul", ir_.resize(operand(1), wide, is_signed_),
                                     ir_.resize(operand(2), wide, is_signed_));
    return ir_.resize(ir_.binary("lshr", product, bits_), element(), false);
  }

  // The carry is kept per lane, as a GPU has it: after a subtraction it is set where nothing was
  // borrowed, so that addc may follow sub.cc, and subc add.cc.
  void with_carry(const Value& a, const Value& b, bool subtracts, bool takes_carry) {
    const std::string operation = subtracts ? "sub" : "add";
    const Value slot = writer_.carry_slot();
    const std::string less = "icmp ult";
    Value sum = ir_.binary(operation, a, b);
    Value carry = subtracts ? ir_.compare(less, a, b) : ir_.compare(less, sum, a);
    if (takes_carry) {
      Value in = ir_.load(slot, "i1", kLanes, 64);
      if (subtracts) in = ir_.binary("xor", in, 1);
      const Value wide_in = ir_.resize(in, element(), false);
      const Value first = ir_.splat(sum, kLanes);
      sum = ir_.binary(operation, first, wide_in);
      const Value second =
          subtracts ? ir_.compare(less, first, wide_in) : ir_.compare(less, sum, first);
      carry = ir_.binary("or", ir_.splat(carry, kLanes), second);
    }
    if (instruction_.has(Modifier::cc)) {
      if (subtracts) carry = ir_.binary("xor", carry, 1);
      const Value old = ir_.load(slot, "i1", kLanes, 64);
      ir_.store(ir_.select(ir_.from_mask(writer_.mask()), ir_.splat(carry, kLanes), old), slot, 64);
    }
    result(sum);
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  unsigned bits_;
  bool is_signed_;
};

// add, min and max have a form for two 16-bit integers in one register.
bool is_pair(const Instruction& instruction) {
  return instruction.type() == Type::u16x2 || instruction.type() == Type::s16x2;
}

template <typename Compute>
void lower_pair(Writer& writer, const Instruction& instruction, const Compute& compute) {
  Ir& ir = writer.ir;
  const unsigned lanes = writer.lanes_of(instruction);
  const Value a = writer.read(instruction.operands.at(1), "i32", lanes);
  const Value b = writer.read(instruction.operands.at(2), "i32", lanes);
  Value packed = Ir::constant(0, "i32", lanes);
  for (unsigned part = 0; part < 2; ++part) {
    const auto half = [&](const Value& v) {
      return ir.resize(ir.binary("lshr", v, std::uint64_t{16} * part), "i16", false);
    };
    const Value half_a = half(a);
    const Value half_b = half(b);
    Value value = compute(half_a, half_b);
    if (instruction.has(Modifier::relu)) {
      value = ir.intrinsic("smax", {value, Ir::constant(0, "i16", lanes)}, "i16", lanes);
    }
    packed = ir.binary("or", packed,
                       ir.binary("shl", ir.resize(value, "i32", false), std::uint64_t{16} * part));
  }
  writer.write_result(instruction, packed);
}

void lower_extreme(Writer& writer, const Instruction& instruction, const std::string& which) {
  if (!is_pair(instruction)) return Integer(writer, instruction).extreme(which);
  const std::string sign = instruction.type() == Type::s16x2 ? "s" : "u";
  lower_pair(writer, instruction, [&](const Value& a, const Value& b) {
    return writer.ir.intrinsic(sign + which, {a, b}, "i16", a.lanes);
  });
}

}  // namespace

void add_integers(Writer& writer, const Instruction& instruction) {
  if (is_pair(instruction)) {
    return lower_pair(writer, instruction, [&](const Value& a, const Value& b) {
      return writer.ir.binary("add", a, b);
    });
  }
  Integer(writer, instruction).add_or_subtract(false);
}
void sub_integers(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).add_or_subtract(true);
}
void mul_integers(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).multiply(false);
}
void mad_integers(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).multiply(true);
}
void div_integers(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).divide(false);
}
void abs_integers(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).absolute();
}
void neg_integers(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).negate();
}
void min_integers(Writer& writer, const Instruction& instruction) {
  lower_extreme(writer, instruction, "min");
}
void max_integers(Writer& writer, const Instruction& instruction) {
  lower_extreme(writer, instruction, "max");
}

void lower_addc(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).with_carry_in(false);
}
void lower_subc(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).with_carry_in(true);
}
void lower_madc(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).multiply(true, true);
}
void lower_mul24(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).multiply24(false);
}
void lower_mad24(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).multiply24(true);
}
void lower_rem(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).divide(true);
}
void lower_sad(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).sum_of_differences();
}
void lower_dp4a(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).dot_product(4);
}
void lower_dp2a(Writer& writer, const Instruction& instruction) {
  Integer(writer, instruction).dot_product(2);
}

}  // namespace emulator::lower
