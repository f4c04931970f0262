#include "lower/scaled_product.h"

#include <optional>
#include <vector>

#include "lower/matrix_types.h"
#include "lower/register_copies.h"
#include "runtime/scaled_product.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Type;
using runtime::MatrixType;
using runtime::ScaledProduct;
using runtime::ScaleType;

constexpr unsigned kAreaOfSums = 0;
constexpr unsigned kAreaOfA = 1;
constexpr unsigned kAreaOfB = 2;
constexpr unsigned kAreaOfMetadata = 3;
constexpr unsigned kAreaOfScalesOfA = 4;
constexpr unsigned kAreaOfScalesOfB = 5;
constexpr unsigned kAreaOfSelectors = 6;

// What PTX has (PTX ISA, "Block Scaling for mma.sync", the table of types and sizes).
struct Form {
  Modifier kind;
  Modifier size;
  bool size_may_be_left_out;
  unsigned scales;
  Type scale;
};
constexpr Form kForms[] = {
    {Modifier::kind_mxf8f6f4, Modifier::scale_vec_1X, true, 1, Type::ue8m0},
    {Modifier::kind_mxf4, Modifier::scale_vec_2X, true, 2, Type::ue8m0},
    {Modifier::kind_mxf4nvf4, Modifier::scale_vec_2X, false, 2, Type::ue8m0},
    {Modifier::kind_mxf4nvf4, Modifier::scale_vec_4X, false, 4, Type::ue8m0},
    {Modifier::kind_mxf4nvf4, Modifier::scale_vec_4X, false, 4, Type::ue4m3},
};

bool names_a_size(const Instruction& instruction) {
  return instruction.has(Modifier::scale_vec_1X) || instruction.has(Modifier::scale_vec_2X) ||
         instruction.has(Modifier::scale_vec_4X);
}

// d, a, b, c, {metadata, selector,} scales of a, {byte, thread}, scales of b, {byte, thread}
class Product {
 public:
  Product(Writer& writer, const Instruction& instruction)
      : writer_(writer), instruction_(instruction), operands_(instruction.operands) {
    product_.sparse = instruction.has(Modifier::sp_ordered_metadata);
    const auto& types = instruction.types;
    if (instruction.has(Modifier::sp) || types.size() != 5 || types[0] != Type::f32 ||
        types[3] != Type::f32 || operands_.size() != (product_.sparse ? 10U : 8U) ||
        !instruction.has(Modifier::row) || !instruction.has(Modifier::col)) {
      unsupported(instruction);
    }
    const Form& form = take_form();
    take_types(form);
  }

  void lower() {
    hand_over(writer_,
              copies(1, kAreaOfA, 16 * product_.depth / (product_.sparse ? 2 : 1), product_.a));
    hand_over(writer_, copies(2, kAreaOfB, 8 * product_.depth, product_.b));
    hand_over(writer_, copies(3, kAreaOfSums, 16 * 8, MatrixType::f32));
    std::size_t next = 4;
    if (product_.sparse) {
      put_word(operands_[next++], kAreaOfMetadata);
      const auto* selector = std::get_if<ptx::Immediate>(&operands_[next++].value);
      if (selector == nullptr || selector->bits != 0) unsupported(instruction_);
    }
    put_word(operands_[next++], kAreaOfScalesOfA);
    runtime::ScaleSelectors selectors;
    put_selectors(operands_[next++], 0, selectors.byte_a, selectors.thread_a);
    put_word(operands_[next++], kAreaOfScalesOfB);
    put_selectors(operands_[next], 2, selectors.byte_b, selectors.thread_b);
    if (!exist(selectors, product_.scales))
      unsupported(instruction_, "no scales have these selectors");
    const auto code = [](auto value) { return static_cast<std::uint64_t>(value); };
    writer_.call(
        "emu_scaled_product",
        {writer_.mask(), number(instruction_.where.line),
         number(code(product_.a) | code(product_.b) << 8U | code(product_.scale) << 16U),
         number(product_.depth | product_.scales << 16U | (product_.sparse ? 1U << 24U : 0U))});
    take_back(writer_, copies(0, kAreaOfSums, 16 * 8, MatrixType::f32));
  }

 private:
  const Form& take_form() {
    for (const Form& form : kForms) {
      const bool sized =
          names_a_size(instruction_) ? instruction_.has(form.size) : form.size_may_be_left_out;
      if (instruction_.has(form.kind) && sized && instruction_.types[4] == form.scale) {
        product_.scales = form.scales;
        product_.scale = form.scale == Type::ue4m3 ? ScaleType::ue4m3 : ScaleType::ue8m0;
        return form;
      }
    }
    unsupported(instruction_);
  }
  // The kind that has scales of 32 elements has any floats, each in a byte, the others e2m1 alone.
  void take_types(const Form& form) {
    const bool in_bytes = form.kind == Modifier::kind_mxf8f6f4;
    const auto type = [&](std::size_t i) {
      const auto found = matrix_type(instruction_.types[i]);
      if (!found || !is_small_float(*found)) unsupported(instruction_);
      if (in_bytes) return *found;
      if (*found != MatrixType::e2m1_in_byte) unsupported(instruction_);
      return MatrixType::e2m1;
    };
    product_.a = type(1);
    product_.b = type(2);
    const unsigned dense_depth = in_bytes ? 32 : 64;
    product_.depth = product_.sparse ? 2 * dense_depth : dense_depth;
    const Modifier shape = product_.depth == 32   ? Modifier::m16n8k32
                           : product_.depth == 64 ? Modifier::m16n8k64
                                                  : Modifier::m16n8k128;
    if (!instruction_.has(shape)) unsupported(instruction_);
  }

  [[nodiscard]] std::vector<RegisterCopy> copies(std::size_t operand, unsigned area,
                                                 unsigned elements, MatrixType of) const {
    const std::vector<Operand> registers = elements_of(operands_[operand]);
    if (registers.size() != elements * bits_of(of) / (kLanes * 32)) unsupported(instruction_);
    std::vector<RegisterCopy> all;
    all.reserve(registers.size());
    for (std::size_t i = 0; i < registers.size(); ++i) {
      const Type as = of == MatrixType::f32 ? Type::f32 : Type::b32;
      all.push_back({registers[i], as, Writer::value_offset(area) + i * kLanes * 4});
    }
    return all;
  }

  [[nodiscard]] bool is_register(const Operand& operand, unsigned bits) const {
    const auto* reg = std::get_if<ptx::Register>(&operand.value);
    return reg != nullptr && ptx::bits(writer_.function().registers.at(reg->index).type) == bits;
  }
  // Of each lane, in braces or not.
  void put_word(const Operand& operand, unsigned area) {
    const std::vector<Operand> word = elements_of(operand);
    if (word.size() != 1 || !is_register(word[0], 32)) unsupported(instruction_);
    writer_.ir.store(writer_.read_bits(word[0], Type::b32, kLanes), writer_.value_area(area), 64);
  }
  // {byte, thread}: the two words from `first` on. What is known now is left in `byte` and
  // `thread`.
  void put_selectors(const Operand& operand, unsigned first, std::uint32_t& byte,
                     std::uint32_t& thread) {
    const std::vector<Operand> both = elements_of(operand);
    if (both.size() != 2) unsupported(instruction_);
    for (unsigned i = 0; i < 2; ++i) {
      const auto* known = std::get_if<ptx::Immediate>(&both[i].value);
      if (known == nullptr && !is_register(both[i], 16)) unsupported(instruction_);
      if (known != nullptr) (i == 0 ? byte : thread) = static_cast<std::uint32_t>(known->bits);
      writer_.ir.store(writer_.read(both[i], "i32", kLanes),
                       writer_.ir.pointer_offset(writer_.value_area(kAreaOfSelectors),
                                                 std::uint64_t{first + i} * kLanes * 4),
                       64);
    }
  }

  Writer& writer_;
  const Instruction& instruction_;
  const std::vector<Operand>& operands_;
  ScaledProduct product_;
};

}  // namespace

void multiply_scaled(Writer& writer, const Instruction& instruction) {
  Product(writer, instruction).lower();
}

}  // namespace emulator::lower
