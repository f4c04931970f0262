#include "lower/other_product.h"

#include <array>
#include <optional>

#include "lower/address.h"
#include "lower/matrix_types.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;
using runtime::FragmentOrder;
using runtime::MatrixType;
using runtime::ProductOp;

// Where emu_product finds its matrices.
constexpr unsigned kAreaOfA = 0;
constexpr unsigned kAreaOfB = 4;
constexpr unsigned kAreaOfSums = 6;

struct Shape {
  unsigned rows = 0;
  unsigned columns = 8;
  unsigned depth = 0;
};

std::optional<Shape> shape_of(const Instruction& instruction) {
  struct Row {
    Modifier modifier;
    unsigned rows;
    unsigned depth;
  };
  static constexpr Row kRows[] = {
      {Modifier::m8n8k4, 8, 4},       {Modifier::m8n8k16, 8, 16},     {Modifier::m8n8k32, 8, 32},
      {Modifier::m8n8k128, 8, 128},   {Modifier::m16n8k4, 16, 4},     {Modifier::m16n8k8, 16, 8},
      {Modifier::m16n8k16, 16, 16},   {Modifier::m16n8k32, 16, 32},   {Modifier::m16n8k64, 16, 64},
      {Modifier::m16n8k128, 16, 128}, {Modifier::m16n8k256, 16, 256},
  };
  for (const Row& row : kRows) {
    if (instruction.has(row.modifier)) return Shape{.rows = row.rows, .depth = row.depth};
  }
  return std::nullopt;
}

struct Product {
  Shape shape;
  MatrixType a{};
  MatrixType b{};
  MatrixType c{};
  MatrixType d{};

  [[nodiscard]] unsigned bits() const { return bits_of(a); }
  [[nodiscard]] bool integers() const { return d == MatrixType::s32 && c == d; }
};

// The types as mma and wmma.mma name them, D's first.
std::optional<Product> product_of(const Instruction& instruction) {
  const auto shape = shape_of(instruction);
  if (!shape || instruction.types.size() != 4) return std::nullopt;
  std::array<MatrixType, 4> types{};
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto type = matrix_type(instruction.types[i]);
    if (!type) return std::nullopt;
    types.at(i) = *type;
  }
  return Product{*shape, types[1], types[2], types[3], types[0]};
}

// Of what PTX has and matrix.cpp has not (PTX ISA, "Matrix multiply-accumulate operation").
bool is_other_mma(const Product& product) {
  const unsigned depth = product.shape.depth;
  const bool eight = product.shape.rows == 8;
  const bool sums_of_doubles = product.d == MatrixType::f64 && product.c == MatrixType::f64;
  if (product.a == MatrixType::f64) {
    return product.b == MatrixType::f64 && sums_of_doubles && !eight && depth <= 16;
  }
  if (product.a == MatrixType::f16) {
    const bool half = product.c == MatrixType::f16;
    const bool sums = product.d == MatrixType::f32 ? half || product.c == MatrixType::f32
                                                   : product.d == MatrixType::f16 && half;
    return product.b == MatrixType::f16 && sums && eight && depth == 4;
  }
  if (!product.integers() || !has_integers(product.a) || !has_integers(product.b) ||
      bits_of(product.b) != product.bits()) {
    return false;
  }
  switch (product.bits()) {
    case 8:
      return eight && depth == 16;
    case 4:
      return eight ? depth == 32 : depth == 32 || depth == 64;
    case 1:
      return eight ? depth == 128 : depth == 128 || depth == 256;
    default:
      return false;
  }
}

ProductOp operation_of(const Instruction& instruction, const Product& product) {
  const bool counts = instruction.has(Modifier::popc);
  const bool ands = instruction.has(Modifier::and_);
  const bool xors = instruction.has(Modifier::xor_);
  if (product.a != MatrixType::b1) {
    if (counts || ands || xors) unsupported(instruction);
    return ProductOp::multiply;
  }
  if (!counts || ands == xors || instruction.has(Modifier::satfinite)) unsupported(instruction);
  return ands ? ProductOp::count_and : ProductOp::count_xor;
}

// The layouts of A and B: two words, each row or col.
FragmentOrder order_of(const Instruction& instruction, const Product& product) {
  std::vector<bool> by_column;
  for (const Modifier word : instruction.modifiers) {
    if (word == Modifier::row || word == Modifier::col) by_column.push_back(word == Modifier::col);
  }
  if (by_column.size() != 2) unsupported(instruction);
  if (product.a != MatrixType::f16) {
    if (by_column[0] || !by_column[1]) unsupported(instruction);
    return FragmentOrder::mma;
  }
  if (by_column[0])
    return by_column[1] ? FragmentOrder::quads_col_col : FragmentOrder::quads_col_row;
  return by_column[1] ? FragmentOrder::quads_row_col : FragmentOrder::quads_row_row;
}

// The registers of one fragment, 32 bits each or 64 for f64.
class Registers {
 public:
  Registers(Writer& writer, const Instruction& instruction, const ptx::Operand& operand,
            MatrixType type, unsigned elements)
      : writer_(writer),
        all_(elements_of(operand)),
        type_(type),
        bytes_(type == MatrixType::f64 ? 8 : 4) {
    const unsigned bits = elements * bits_of(type);
    if (all_.size() != bits / (kLanes * bytes_ * 8)) unsupported(instruction);
  }

  void hand_over(unsigned area) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Value bits = writer_.read_bits(all_[i], type(), kLanes);
      writer_.ir.store(bits, at(area, i), 64);
    }
  }
  void take_back(unsigned area) {
    std::vector<Value> values;
    values.reserve(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i)
      values.push_back(writer_.ir.load(at(area, i), bytes_ == 8 ? "i64" : "i32", kLanes, 64));
    for (std::size_t i = 0; i < all_.size(); ++i)
      writer_.write(all_[i], values[i], LaneValues::any());
  }

 private:
  // As which a constant is to be read.
  [[nodiscard]] Type type() const {
    if (type_ == MatrixType::f64) return Type::f64;
    return type_ == MatrixType::f32 ? Type::f32 : Type::b32;
  }
  Value at(unsigned area, std::size_t index) {
    return writer_.ir.pointer_offset(writer_.value_area(area), index * kLanes * bytes_);
  }

  Writer& writer_;
  std::vector<ptx::Operand> all_;
  MatrixType type_;
  unsigned bytes_;
};

void multiply(Writer& writer, const Instruction& instruction, const Product& product,
              FragmentOrder order) {
  if (instruction.operands.size() != 4) unsupported(instruction);
  const Shape& shape = product.shape;
  const bool in_quads = order != FragmentOrder::mma && order != FragmentOrder::wmma;
  const unsigned products = in_quads ? 4 : 1;
  const unsigned sums = products * shape.rows * shape.columns;
  const auto registers = [&](std::size_t operand, MatrixType type, unsigned elements) {
    return Registers(writer, instruction, instruction.operands[operand], type, elements);
  };
  registers(1, product.a, products * shape.rows * shape.depth).hand_over(kAreaOfA);
  registers(2, product.b, products * shape.depth * shape.columns).hand_over(kAreaOfB);
  registers(3, product.c, sums).hand_over(kAreaOfSums);
  const auto code = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t op = code(operation_of(instruction, product));
  const std::uint64_t clamps = instruction.has(Modifier::satfinite) ? 1 : 0;
  if (clamps != 0 && !product.integers()) unsupported(instruction);
  writer.call("emu_product", {writer.mask(), number(instruction.where.line),
                              number(code(product.a) | code(product.b) << 8U |
                                     code(product.c) << 16U | code(product.d) << 24U),
                              number(shape.rows | shape.columns << 8U | shape.depth << 16U),
                              number(code(order) | op << 8U | clamps << 16U)});
  registers(0, product.d, sums).take_back(kAreaOfSums);
}

// wmma.load and wmma.store. Elements of less than a byte come in lines along k, which are moved as
// bytes.
void move_fragment(Writer& writer, const Instruction& instruction, const Shape& shape) {
  const bool stores = instruction.has(Modifier::store);
  const bool is_a = instruction.has(Modifier::a);
  const bool is_b = instruction.has(Modifier::b);
  const auto type = matrix_type(instruction.type());
  const bool by_column = instruction.has(Modifier::col);
  const std::size_t given = instruction.operands.size();
  if (!type || by_column == instruction.has(Modifier::row) || (given != 2 && given != 3)) {
    unsupported(instruction);
  }
  const unsigned bits = bits_of(*type);
  const bool is_sum = *type == MatrixType::f64 || *type == MatrixType::s32;
  const bool is_source = *type == MatrixType::f64 || bits < 8;
  if ((is_a || is_b) ? !is_source : !is_sum) unsupported(instruction);
  unsigned lines = is_b ? shape.depth : shape.rows;
  unsigned length = is_a ? shape.depth : shape.columns;
  MatrixType moved = *type;
  bool across = by_column;
  Ir& ir = writer.ir;
  Value stride = given == 3 ? ir.extract(writer.read(instruction.operands[2], "i32", kLanes), 0)
                            : number(by_column ? lines : length);
  if (bits < 8) {
    if (by_column != is_b) unsupported(instruction);
    lines = is_b ? shape.columns : shape.rows;
    length = shape.depth * bits / 8;
    stride = given == 3 ? ir.binary("udiv", stride, 8 / bits) : number(length);
    moved = MatrixType::u8;
    across = false;
  }
  const std::uint32_t site =
      writer.add_site(instruction, stores ? runtime::AccessKind::store : runtime::AccessKind::load,
                      instruction.space, bits_of(moved) / 8, 1);
  Registers registers(writer, instruction, instruction.operands[stores ? 1 : 0], *type,
                      lines * length * bits_of(moved) / bits);
  ir.store(AccessAddress(writer, instruction.operands[stores ? 0 : 1], instruction.space).lanes(),
           writer.address_area(), 64);
  if (stores) registers.hand_over(0);
  writer.call(stores ? "emu_store_fragment" : "emu_load_fragment",
              {number(site), writer.mask(), number(lines), number(length),
               number(static_cast<std::uint64_t>(moved)), stride, number(across ? 1 : 0)});
  if (!stores) registers.take_back(0);
}

}  // namespace

bool lower_other_mma(Writer& writer, const Instruction& instruction) {
  const auto product = product_of(instruction);
  if (!product || !is_other_mma(*product)) return false;
  multiply(writer, instruction, *product, order_of(instruction, *product));
  return true;
}

bool lower_other_wmma(Writer& writer, const Instruction& instruction) {
  const auto shape = shape_of(instruction);
  if (!shape) return false;
  if (!instruction.has(Modifier::mma)) {
    move_fragment(writer, instruction, *shape);
    return true;
  }
  const auto product = product_of(instruction);
  if (!product || product->a != product->b) unsupported(instruction);
  const bool doubles = product->a == MatrixType::f64 && product->c == MatrixType::f64 &&
                       product->d == MatrixType::f64 && shape->depth == 4;
  const bool packed = product->integers() && ((product->bits() == 4 && shape->depth == 32) ||
                                              (product->bits() == 1 && shape->depth == 128));
  if (shape->rows != 8 || (!doubles && !packed)) unsupported(instruction);
  multiply(writer, instruction, *product, FragmentOrder::wmma);
  return true;
}

}  // namespace emulator::lower
