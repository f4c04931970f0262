// Arithmetic on f16 and bf16, single and packed in pairs. Each operation is rounded once: sums are
// computed in fp32, which has more than twice the digits, all that may be inexact or underflow
// there in double.
#include "lower/arithmetic.h"
#include "lower/numeric.h"
#include "lower/rounding.h"
#include "lower/special_functions.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

class Half {
 public:
  Half(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)) {
    switch (instruction.type()) {
      case Type::f16x2:
        part_ = Type::f16;
        parts_ = 2;
        break;
      case Type::bf16x2:
        part_ = Type::bf16;
        parts_ = 2;
        break;
      default:
        part_ = instruction.type();
    }
    if (rounding_of(instruction) != Rounding::nearest) unsupported(instruction);
  }

  using Sources = std::vector<Value>;  // floats

  // Applies `compute` to the values of each part and packs the results, which are floats, exact or
  // such that rounding them again does no harm.
  template <typename Compute>
  void each(Compute compute) {
    const std::string whole = parts_ == 2 ? "i32" : "i16";
    Value packed = Ir::constant(0, whole, lanes_);
    for (unsigned part = 0; part < parts_; ++part) {
      Sources sources;
      for (std::size_t i = 1; i < instruction_.operands.size(); ++i)
        sources.push_back(half_to_float(ir_, bits(i, part), part_));
      Value value = compute(sources);
      if (instruction_.has(Modifier::sat)) value = saturate(ir_, value);
      if (instruction_.has(Modifier::relu)) {
        value = float_extreme(ir_, value, ir_.float_constant(0, "float", lanes_), true, true);
      }
      Value half = narrow_to_half(ir_, value, part_, Rounding::nearest);
      if (flushes()) half = flushed(half);
      if (instruction_.has(Modifier::oob)) half = zero_out_of_bounds(half, part);
      packed =
          ir_.binary("or", packed,
                     ir_.binary("shl", ir_.resize(half, whole, false), std::uint64_t{16} * part));
    }
    writer_.write_result(instruction_, packed);
  }

  void arithmetic(const std::string& operation) {
    each([&](const Sources& s) { return ir_.binary(operation, s[0], s[1]); });
  }
  // The product of two bf16 may underflow in fp32 and be rounded there already.
  void multiply() {
    if (part_ == Type::f16) return arithmetic("fmul");
    each([&](const Sources& s) {
      return odd_float(ir_, ir_.binary("fmul", widened(s[0]), widened(s[1])));
    });
  }
  // The product is exact in double. A sum of f16 loses there at most what lies below 2^-37 of a
  // result of at least 2^5, which no tie of f16 is that near to, unless it is one. A bf16 may be so
  // much smaller than the other term that all it does is to decide a tie.
  void multiply_add() {
    each([&](const Sources& s) {
      const Value product = ir_.binary("fmul", widened(s[0]), widened(s[1]));
      const Value addend = widened(s[2]);
      if (part_ == Type::f16) return odd_float(ir_, ir_.binary("fadd", product, addend));
      return odd_float(ir_, rounded_to_odd(ir_, exact_sum(ir_, product, addend)));
    });
  }
  void power() {
    each([&](const Sources& s) { return power_of_two(ir_, s[0]); });
  }
  void tangent() {
    each([&](const Sources& s) { return hyperbolic_tangent(ir_, s[0]); });
  }
  void extreme(bool maximum) {
    const bool propagates = instruction_.has(Modifier::NaN);
    const bool of_magnitudes = instruction_.has(Modifier::xorsign);
    each([&](const Sources& s) {
      if (of_magnitudes) return signed_extreme(ir_, s[0], s[1], maximum, propagates);
      return float_extreme(ir_, s[0], s[1], maximum, propagates);
    });
  }

  // On the bits. PTX leaves open which NaN comes of one; an H200 adds zero, which gives 0x7fff.
  void signs(const std::string& operation, std::uint64_t mask) {
    const std::string whole = parts_ == 2 ? "i32" : "i16";
    Value packed = Ir::constant(0, whole, lanes_);
    for (unsigned part = 0; part < parts_; ++part) {
      const Value source = bits(1, part);
      const std::uint64_t infinity = part_ == Type::f16 ? 0x7c00 : 0x7f80;
      const Value nan = ir_.compare("icmp ugt", ir_.binary("and", source, 0x7fff), infinity);
      const Value changed =
          ir_.select(nan, Ir::constant(0x7fff, "i16", lanes_), ir_.binary(operation, source, mask));
      const Value half = ir_.resize(changed, whole, false);
      packed = ir_.binary("or", packed, ir_.binary("shl", half, std::uint64_t{16} * part));
    }
    writer_.write_result(instruction_, packed);
  }

 private:
  [[nodiscard]] bool flushes() const { return instruction_.has(Modifier::ftz); }
  Value widened(const Value& v) { return ir_.cast("fpext", v, "double"); }

  // One part of an operand, flushed where the instruction flushes.
  Value bits(std::size_t operand, unsigned part) {
    const std::string whole = parts_ == 2 ? "i32" : "i16";
    Value all = writer_.read(instruction_.operands.at(operand), whole, lanes_);
    if (parts_ == 2) all = ir_.binary("lshr", all, std::uint64_t{16} * part);
    const Value half = ir_.resize(all, "i16", false);
    return flushes() ? flushed(half) : half;
  }
  Value flushed(const Value& half) { return flush_half(ir_, half, part_); }

  // .oob: 0 where a factor is the NaN that copies of tensors leave outside the tensor, of either
  // sign; whatever the others are.
  Value zero_out_of_bounds(const Value& half, unsigned part) {
    constexpr std::uint64_t kOutOfBounds = 0x7ff7;
    const auto is_outside = [&](std::size_t operand) {
      return ir_.compare("icmp eq", ir_.binary("and", bits(operand, part), 0x7fff), kOutOfBounds);
    };
    return ir_.select(ir_.binary("or", is_outside(1), is_outside(2)),
                      Ir::constant(0, "i16", lanes_), half);
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  Type part_ = Type::f16;
  unsigned parts_ = 1;
};

}  // namespace

void add_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).arithmetic("fadd");
}
void sub_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).arithmetic("fsub");
}
void mul_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).multiply();
}
void fma_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).multiply_add();
}
void ex2_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).power();
}
void tanh_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).tangent();
}
void min_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).extreme(false);
}
void max_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).extreme(true);
}
void neg_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).signs("xor", 0x8000);
}
void abs_halves(Writer& writer, const Instruction& instruction) {
  Half(writer, instruction).signs("and", 0x7fff);
}

}  // namespace emulator::lower
