// Products of tensor cores, and the fragments of wmma. The runtime does the work
// (runtime/matrix.h); here registers are handed over and taken back.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "lower/address.h"
#include "lower/matrix_types.h"
#include "lower/other_product.h"
#include "lower/register_copies.h"
#include "lower/scaled_product.h"
#include "lower/sparse_product.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;
using runtime::MatrixType;

[[nodiscard]] unsigned depth_of(const Instruction& instruction) {
  if (instruction.has(Modifier::m8n8k4) || instruction.has(Modifier::m16n8k4)) return 4;
  if (instruction.has(Modifier::m16n8k8)) return 8;
  if (instruction.has(Modifier::m16n8k16)) return 16;
  if (instruction.has(Modifier::m16n8k32)) return 32;
  return 0;
}

// Of floats of 8 bits, and with .kind::f8f6f4 also of smaller ones.
[[nodiscard]] bool multiplies_small_floats(const Instruction& instruction,
                                           const runtime::MatrixShape& shape) {
  const bool of_bytes = is_byte_float(shape.a) && is_byte_float(shape.b);
  const bool of_kind =
      instruction.has(Modifier::kind_f8f6f4) && is_small_float(shape.a) && is_small_float(shape.b);
  return (of_bytes && shape.depth == 16) || ((of_bytes || of_kind) && shape.depth == 32);
}

// Whether PTX has this product.
[[nodiscard]] bool exists(const Instruction& instruction, const runtime::MatrixShape& shape) {
  const unsigned depth = shape.depth;
  const auto is = [&](MatrixType type) { return shape.a == type && shape.b == type; };
  const auto is_byte = [](MatrixType type) {
    return type == MatrixType::s8 || type == MatrixType::u8;
  };
  const bool float_sum = shape.c == MatrixType::f32;
  const bool half_sum = shape.c == MatrixType::f16;
  if (multiplies_small_floats(instruction, shape)) return float_sum || half_sum;
  if (instruction.has(Modifier::kind_f8f6f4)) return false;
  const bool eight_rows = instruction.has(Modifier::m8n8k4);
  if (is(MatrixType::f64)) return eight_rows && shape.c == MatrixType::f64;
  if (eight_rows) return false;
  if (is(MatrixType::f16)) return (depth == 8 || depth == 16) && (float_sum || half_sum);
  if (is(MatrixType::bf16)) return (depth == 8 || depth == 16) && float_sum;
  if (is(MatrixType::tf32)) return (depth == 4 || depth == 8) && float_sum;
  return is_byte(shape.a) && is_byte(shape.b) && (depth == 16 || depth == 32) &&
         shape.c == MatrixType::s32;
}

void product(Writer& writer, const Instruction& instruction) {
  const auto type = [&](std::size_t index) {
    const auto found =
        instruction.types.size() == 4 ? matrix_type(instruction.types[index]) : std::nullopt;
    if (!found) unsupported(instruction);
    return *found;
  };
  const runtime::MatrixShape shape{type(1), type(2), type(3), depth_of(instruction),
                                   instruction.has(Modifier::satfinite)};
  if (!exists(instruction, shape) || type(0) != type(3) || !instruction.has(Modifier::row) ||
      !instruction.has(Modifier::col)) {
    unsupported(instruction);
  }
  const unsigned bytes = shape.a == MatrixType::f64 ? 8 : 4;
  const unsigned rows = instruction.has(Modifier::m8n8k4) ? 8 : 16;
  const auto count = [&](unsigned elements, MatrixType of) {
    return elements * bits_of(of) / (kLanes * bytes * 8);
  };
  const auto add = [&](std::vector<RegisterCopy>& copies, unsigned operand, unsigned registers) {
    const std::vector<ptx::Operand> all = elements_of(instruction.operands.at(operand));
    if (all.size() != registers) unsupported(instruction);
    copies.reserve(copies.size() + all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      // The type says how a constant is to be read.
      const Type as = operand == 3 ? instruction.types[3] : bytes == 8 ? Type::b64 : Type::b32;
      copies.push_back({all[i], as == Type::f16 ? Type::b32 : as,
                        Writer::value_offset(operand) + i * kLanes * bytes});
    }
  };
  std::vector<RegisterCopy> given;
  add(given, 1, count(rows * shape.depth, shape.a));
  add(given, 2, count(8 * shape.depth, shape.b));
  add(given, 3, count(rows * 8, shape.c));
  hand_over(writer, given);
  const auto code = [](MatrixType of) { return number(static_cast<std::uint64_t>(of)); };
  writer.call("emu_mma",
              {writer.mask(), number(instruction.where.line), code(shape.a), code(shape.b),
               code(shape.c), number(shape.depth), number(shape.saturate ? 1 : 0)});
  std::vector<RegisterCopy> results;
  add(results, 0, count(rows * 8, shape.c));
  take_back(writer, results);
}

// wmma: the fragments of a product of rows x columns x depth.
struct FragmentSizes {
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned depth = 0;
};
[[nodiscard]] FragmentSizes sizes_of(const Instruction& instruction) {
  if (instruction.has(Modifier::m16n16k16)) return {16, 16, 16};
  if (instruction.has(Modifier::m8n32k16)) return {8, 32, 16};
  if (instruction.has(Modifier::m32n8k16)) return {32, 8, 16};
  if (instruction.has(Modifier::m16n16k8)) return {16, 16, 8};
  unsupported(instruction);
}

// Elements of such a fragment fill so many registers of a lane; f16 comes in more of them, as on
// the first tensor cores, and repeats itself.
[[nodiscard]] unsigned registers_for(unsigned elements, MatrixType type) {
  return elements * bits_of(type) / (kLanes * 32);
}

[[nodiscard]] MatrixType fragment_type(const Instruction& instruction, Type type) {
  const auto found = matrix_type(type);
  if (!found || *found == MatrixType::f64 || is_small_float(*found) || bits_of(*found) < 8)
    unsupported(instruction);
  return *found;
}

class Fragment {
 public:
  Fragment(Writer& writer, const Instruction& instruction, const ptx::Operand& registers,
           unsigned elements, MatrixType type)
      : writer_(writer),
        registers_(elements_of(registers)),
        distinct_(registers_for(elements, type)) {
    if (distinct_ == 0 || registers_.size() % distinct_ != 0) unsupported(instruction);
  }

  void hand_over(unsigned area) {
    for (unsigned i = 0; i < distinct_; ++i)
      writer_.ir.store(writer_.read_bits(registers_[i], Type::b32, kLanes), at(area, i), 64);
  }
  void take_back(unsigned area) {
    std::vector<Value> values;
    values.reserve(distinct_);
    for (unsigned i = 0; i < distinct_; ++i)
      values.push_back(writer_.ir.load(at(area, i), "i32", kLanes, 64));
    for (std::size_t i = 0; i < registers_.size(); ++i)
      writer_.write(registers_[i], values[i % distinct_], LaneValues::any());
  }

 private:
  Value at(unsigned area, unsigned reg) {
    return writer_.ir.pointer_offset(writer_.value_area(area), std::uint64_t{reg} * kLanes * 4);
  }

  Writer& writer_;
  std::vector<ptx::Operand> registers_;
  unsigned distinct_;
};

// wmma.load and wmma.store.
void move_fragment(Writer& writer, const Instruction& instruction, bool stores) {
  const FragmentSizes sizes = sizes_of(instruction);
  const bool is_a = instruction.has(Modifier::a);
  const bool is_b = instruction.has(Modifier::b);
  const unsigned rows = is_b ? sizes.depth : sizes.rows;
  const unsigned columns = is_a ? sizes.depth : sizes.columns;
  const MatrixType type = fragment_type(instruction, instruction.type());
  const bool by_column = instruction.has(Modifier::col);
  const bool sums = type == MatrixType::f32 || type == MatrixType::f16 || type == MatrixType::s32;
  if (by_column == instruction.has(Modifier::row) || (!is_a && !is_b && !sums)) {
    unsupported(instruction);
  }
  Ir& ir = writer.ir;
  const unsigned bytes = bits_of(type) / 8;
  Fragment fragment(writer, instruction, instruction.operands.at(stores ? 1 : 0), rows * columns,
                    type);
  AccessAddress address(writer, instruction.operands.at(stores ? 0 : 1), instruction.space);
  const std::uint32_t site =
      writer.add_site(instruction, stores ? runtime::AccessKind::store : runtime::AccessKind::load,
                      instruction.space, bytes, 1);
  // The address and the stride are the same in all lanes.
  const Value stride = instruction.operands.size() > 2
                           ? ir.extract(writer.read(instruction.operands.at(2), "i32", kLanes), 0)
                           : number(by_column ? rows : columns);
  ir.store(address.lanes(), writer.address_area(), 64);
  if (stores) fragment.hand_over(0);
  writer.call(stores ? "emu_store_fragment" : "emu_load_fragment",
              {number(site), writer.mask(), number(rows), number(columns),
               number(static_cast<std::uint64_t>(type)), stride, number(by_column ? 1 : 0)});
  if (!stores) fragment.take_back(0);
}

void multiply_fragments(Writer& writer, const Instruction& instruction) {
  const FragmentSizes sizes = sizes_of(instruction);
  // Of f16 only the types of the sums are written.
  std::vector<Type> types = instruction.types;
  if (types.size() == 2) types = {types[0], Type::f16, Type::f16, types[1]};
  if (types.size() != 4) unsupported(instruction);
  const MatrixType d = fragment_type(instruction, types[0]);
  const MatrixType a = fragment_type(instruction, types[1]);
  const MatrixType b = fragment_type(instruction, types[2]);
  const MatrixType c = fragment_type(instruction, types[3]);
  const bool bytes = bits_of(a) == 8 && bits_of(b) == 8;
  const bool sums = bytes ? c == MatrixType::s32 && d == c
                          : (c == MatrixType::f32 || c == MatrixType::f16) &&
                                (d == MatrixType::f32 || d == MatrixType::f16);
  if (!sums || (!bytes && a != b) || (a == MatrixType::tf32) != (sizes.depth == 8)) {
    unsupported(instruction);
  }
  Fragment(writer, instruction, instruction.operands.at(1), sizes.rows * sizes.depth, a)
      .hand_over(0);
  Fragment(writer, instruction, instruction.operands.at(2), sizes.depth * sizes.columns, b)
      .hand_over(4);
  Fragment(writer, instruction, instruction.operands.at(3), sizes.rows * sizes.columns, c)
      .hand_over(2);
  const auto code = [](MatrixType of) { return number(static_cast<std::uint64_t>(of)); };
  writer.call("emu_wmma",
              {writer.mask(), number(instruction.where.line),
               number(sizes.rows | sizes.columns << 8U | sizes.depth << 16U), code(a), code(b),
               code(c), code(d), number(instruction.has(Modifier::satfinite) ? 1 : 0)});
  Fragment(writer, instruction, instruction.operands.at(0), sizes.rows * sizes.columns, d)
      .take_back(2);
}

// Words of an mma that its types or each other forbid.
void refuse_foreign_words(const Instruction& instruction) {
  constexpr std::array kKinds = {Modifier::kind_f8f6f4, Modifier::kind_mxf8f6f4,
                                 Modifier::kind_mxf4, Modifier::kind_mxf4nvf4};
  constexpr std::array kSizes = {Modifier::scale_vec_1X, Modifier::scale_vec_2X,
                                 Modifier::scale_vec_4X};
  constexpr std::array kCounts = {Modifier::popc, Modifier::and_, Modifier::xor_};
  const auto count = [&](const auto& words) {
    return std::ranges::count_if(words, [&](Modifier word) { return instruction.has(word); });
  };
  const bool scaled = instruction.has(Modifier::block_scale);
  const bool plain_kind = count(kKinds) == 0 || instruction.has(Modifier::kind_f8f6f4);
  const auto is = [&](std::size_t i, Type type) {
    return i < instruction.types.size() && instruction.types[i] == type;
  };
  if (count(kKinds) > 1 || count(kSizes) > 1 || (!scaled && (count(kSizes) != 0 || !plain_kind)) ||
      (instruction.has(Modifier::satfinite) && !is(0, Type::s32)) ||
      (count(kCounts) != 0 && !is(1, Type::b1))) {
    unsupported(instruction);
  }
}

}  // namespace

void lower_mma(Writer& writer, const Instruction& instruction) {
  refuse_foreign_words(instruction);
  if (instruction.has(Modifier::block_scale)) return multiply_scaled(writer, instruction);
  if (instruction.has(Modifier::sp) || instruction.has(Modifier::sp_ordered_metadata))
    return multiply_sparse(writer, instruction);
  if (instruction.has(Modifier::kind_f8f6f4) || !lower_other_mma(writer, instruction))
    product(writer, instruction);
}
void lower_wmma(Writer& writer, const Instruction& instruction) {
  if (lower_other_wmma(writer, instruction)) return;
  if (instruction.has(Modifier::mma)) return multiply_fragments(writer, instruction);
  move_fragment(writer, instruction, instruction.has(Modifier::store));
}

}  // namespace emulator::lower
