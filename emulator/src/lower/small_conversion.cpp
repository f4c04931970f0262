#include "lower/small_conversion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "lower/numeric.h"
#include "lower/operand_types.h"
#include "lower/small_floats.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

bool is_power(Type type) { return type == Type::ue8m0x2; }
bool is_four(Type type) {
  static constexpr std::array kFours = {Type::e2m1x4, Type::e2m3x4, Type::e3m2x4, Type::e4m3x4,
                                        Type::e5m2x4};
  return std::ranges::find(kFours, type) != kFours.end();
}
bool is_small(Type type) {
  const bool known = small_format(type) != nullptr || is_power(type);
  return known && !ptx::is_half(type) && !ptx::is_half_pair(type);
}

class SmallConversion {
 public:
  SmallConversion(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        to_(instruction.types.at(0)),
        from_(instruction.types.at(1)) {}

  void run() {
    require_form();
    std::vector<Value> codes;  // of the lowest number first
    for (const Value& number : numbers()) codes.push_back(code_of(number, codes.size()));
    Value packed = Ir::constant(0, "i32", lanes_);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      packed = ir_.binary("or", packed, ir_.binary("shl", codes[i], i * width(to_)));
    }
    writer_.write_result(instruction_, ir_.resize(packed, bits_element(to_), false));
  }

 private:
  static std::string bits_element(Type type) { return "i" + std::to_string(ptx::bits(type)); }
  // Of one number in its register.
  static std::uint64_t width(Type type) { return ptx::bits(type) / (is_four(type) ? 4 : 2); }

  void require_form() {
    if (is_four(to_)) return require_four();
    if (from_ != Type::f32) return require_operands(writer_, instruction_, {to_, from_});
    if (is_random()) return require_operands(writer_, instruction_, {to_, from_, from_, Type::b32});
    require_operands(writer_, instruction_, {to_, from_, from_});
  }
  // The four stand in one operand.
  void require_four() {
    Instruction one_by_one = instruction_;
    if (one_by_one.operands.size() > 1) {
      require_vector(writer_, instruction_, 1, from_, 4);
      one_by_one.operands.at(1) = elements_of(instruction_.operands.at(1)).front();
    }
    require_operands(writer_, one_by_one, {to_, from_, Type::b32});
  }
  [[nodiscard]] bool is_random() const { return instruction_.has(Modifier::rs); }

  // The numbers to convert, as floats, in the order of the result's places.
  std::vector<Value> numbers() {
    std::vector<Value> all;
    if (from_ == Type::f32) {
      const auto& operands = instruction_.operands;
      const std::vector<ptx::Operand> sources =
          is_four(to_) ? elements_of(operands.at(1)) : std::vector{operands.at(1), operands.at(2)};
      for (const ptx::Operand& source : sources) {
        all.insert(all.begin(), writer_.read(source, "float", lanes_));
      }
      return all;
    }
    const Value whole = ir_.resize(
        writer_.read(instruction_.operands.at(1), bits_element(from_), lanes_), "i32", false);
    for (std::uint64_t part = 0; part < 2; ++part) {
      const Value code = ir_.binary("and", ir_.binary("lshr", whole, part * width(from_)),
                                    (std::uint64_t{1} << width(from_)) - 1);
      all.push_back(float_of(code));
    }
    return all;
  }
  Value float_of(const Value& code) {
    if (is_power(from_)) return half_to_float(ir_, half_bits(power_to_bf16(ir_, code)), Type::bf16);
    if (from_ == Type::bf16x2) return half_to_float(ir_, half_bits(code), Type::bf16);
    const Value half =
        from_ == Type::f16x2 ? half_bits(code) : small_to_f16(ir_, code, *small_format(from_));
    return half_to_float(ir_, half, Type::f16);
  }
  Value half_bits(const Value& code) { return ir_.resize(code, "i16", false); }

  Value code_of(Value number, std::size_t place) {
    if (is_power(to_)) {
      return float_to_power(ir_, number,
                            instruction_.has(Modifier::rp) ? Upwards::yes : Upwards::no,
                            instruction_.has(Modifier::satfinite) ? Limited::yes : Limited::no);
    }
    if (instruction_.has(Modifier::relu)) {
      number = float_extreme(ir_, number, ir_.float_constant(0, "float", lanes_), true, true);
    }
    const SmallFormat& format = *small_format(to_);
    const bool finite = is_small(to_) || instruction_.has(Modifier::satfinite);
    std::optional<Value> random;
    if (is_random()) random = random_bits(place, format);
    return float_to_small(ir_, number, format, format.largest + (finite ? 0 : 1), random);
  }

  // PTX ISA, cvt, says which random bits are for which pair of the four numbers, {f, e} below
  // {b, a}: of 8-bit and 6-bit formats the lower and the upper half, of e2m1 the lower and the
  // upper byte of both halves. Which of the pair takes which byte it leaves to a figure; here the
  // lower number takes the lower one.
  Value random_bits(std::size_t place, const SmallFormat& format) {
    static constexpr std::array<std::uint64_t, 4> kBytes = {0, 8, 16, 24};
    static constexpr std::array<std::uint64_t, 4> kBytesOfE2m1 = {0, 16, 8, 24};
    const Value all = writer_.read(instruction_.operands.back(), "i32", lanes_);
    const std::uint64_t begin = !is_four(to_)         ? 16 * place
                                : to_ == Type::e2m1x4 ? kBytesOfE2m1.at(place)
                                                      : kBytes.at(place);
    const std::uint64_t mask = (std::uint64_t{1} << format.random_bits) - 1;
    return ir_.binary("and", ir_.binary("lshr", all, begin), mask);
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  Type to_;
  Type from_;
};

}  // namespace

bool is_small_conversion(const Instruction& instruction) {
  const auto& types = instruction.types;
  if (types.size() != 2) return false;
  return is_small(types[0]) || is_small(types[1]) || instruction.has(Modifier::rs);
}

void convert_small(Writer& writer, const Instruction& instruction) {
  SmallConversion(writer, instruction).run();
}

}  // namespace emulator::lower
