// wgmma: products of a warpgroup, of which each warp computes 16 rows by itself
// (runtime/warpgroup_product.h). What they do to registers and shared memory while they are under
// way is checked: lower/products_under_way.h.
#include "runtime/warpgroup_product.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "lower/matrix_types.h"
#include "lower/register_copies.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Type;
using runtime::MatrixType;

constexpr std::size_t kRegistersOfA = 4;
constexpr unsigned kAreaOfA = 4;
constexpr unsigned kAreaOfDescriptors = 5;  // of A, then of B
constexpr unsigned kAreaOfMetadata = 6;

// Whether PTX has a product of these types (PTX ISA, "wgmma.mma_async", the table of types).
[[nodiscard]] bool exists(MatrixType d, MatrixType a, MatrixType b, bool sparse) {
  const auto is_byte = [](MatrixType type) {
    return type == MatrixType::s8 || type == MatrixType::u8;
  };
  const bool half_or_float = d == MatrixType::f16 || d == MatrixType::f32;
  if (is_byte_float(a)) return is_byte_float(b) && half_or_float;
  if (is_byte(a)) return is_byte(b) && d == MatrixType::s32;
  if (a != b) return false;
  if (a == MatrixType::f16) return half_or_float;
  if (a == MatrixType::b1) return d == MatrixType::s32 && !sparse;
  return (a == MatrixType::bf16 || a == MatrixType::tf32) && d == MatrixType::f32;
}

class Product {
 public:
  Product(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        instruction_(instruction),
        sparse_(instruction.has(Modifier::sp)),
        d_(type(0)),
        a_(type(1)),
        b_(type(2)),
        depth_((sparse_ ? 2 : 1) * 256 / bits_of(a_)) {
    const bool bits = a_ == MatrixType::b1;
    if (instruction.types.size() != 3 || !exists(d_, a_, b_, sparse_) || !has_shape() ||
        bits != (instruction.has(Modifier::and_) && instruction.has(Modifier::popc)) ||
        (instruction.has(Modifier::satfinite) && (d_ != MatrixType::s32 || bits))) {
      unsupported(instruction);
    }
    take_operands();
  }

  void lower() {
    Ir& ir = writer_.ir;
    if (a_in_registers()) {
      hand_over(writer_, copies(elements_of(*of_a_), kAreaOfA, kRegistersOfA));
    } else {
      put(*of_a_, Type::b64, kAreaOfDescriptors, 0);
    }
    put(*of_b_, Type::b64, kAreaOfDescriptors, kLanes * sizeof(std::uint64_t));
    if (sparse_) put(*metadata_, Type::b32, kAreaOfMetadata, 0);
    const Value adds = ir.to_mask(writer_.read(*adds_, "i1", kLanes));
    const Value types =
        number(static_cast<std::uint64_t>(a_) | static_cast<std::uint64_t>(b_) << 8U |
               static_cast<std::uint64_t>(d_) << 16U);
    const std::uint32_t site =
        writer_.add_site(instruction_, runtime::AccessKind::load, ptx::Space::shared, 16, 1);
    const Value how = number(runtime::number_of(options_));
    writer_.call("emu_wgmma_begin", {number(site), writer_.mask(), types,
                                     number(columns_ | depth_ << 16U), how, adds});
    // As many columns as the context has room for, one after the other.
    const std::vector<Operand> sums = elements_of(instruction_.operands.back());
    const std::vector<Operand> results = elements_of(instruction_.operands.front());
    const std::size_t of_group = sums.size() * 8 / columns_;
    const std::size_t most = runtime::kProductGroups * of_group;
    for (std::size_t first = 0; first < sums.size(); first += most) {
      const std::size_t count = std::min(most, sums.size() - first);
      hand_over(writer_, part(sums, first, count, of_group));
      writer_.call("emu_wgmma", {types, number(first / of_group * 8 | count / of_group << 16U),
                                 number(depth_), how, adds});
      take_back(writer_, part(results, first, count, of_group));
    }
  }

 private:
  [[nodiscard]] MatrixType type(std::size_t index) const {
    const auto found =
        index < instruction_.types.size() ? matrix_type(instruction_.types[index]) : std::nullopt;
    if (!found) unsupported(instruction_);
    return *found;
  }
  [[nodiscard]] bool a_in_registers() const {
    return std::holds_alternative<ptx::Vector>(of_a_->value);
  }

  // m64n8k16 to m64n256k16, and the like.
  [[nodiscard]] bool has_shape() {
    for (const Modifier modifier : instruction_.modifiers) {
      unsigned depth = 0;
      const std::string spelled(ptx::spelling(modifier));
      // NOLINTNEXTLINE(cert-err34-c): one of the words that the parser knows
      if (std::sscanf(spelled.c_str(), "m64n%uk%u", &columns_, &depth) != 2) continue;
      if (depth != depth_) return false;
    }
    if (columns_ == 0) return false;
    return d_ != MatrixType::s32 || columns_ == 8 || columns_ == 24 || columns_ % 16 == 0;
  }

  void take_operands() {
    const std::vector<Operand>& all = instruction_.operands;
    const auto immediate = [&](std::size_t at) {
      const auto* found = std::get_if<ptx::Immediate>(&all.at(at).value);
      if (found == nullptr) unsupported(instruction_);
      return static_cast<std::int64_t>(found->bits);
    };
    const auto sign = [&](std::size_t at) {
      const std::int64_t scale = immediate(at);
      if (scale != 1 && scale != -1) unsupported(instruction_);
      return scale < 0;
    };
    const auto flag = [&](std::size_t at) {
      const std::int64_t value = immediate(at);
      if (value != 0 && value != 1) unsupported(instruction_);
      return value != 0;
    };
    std::size_t next = sparse_ ? 6 : 4;  // behind the predicate
    const bool floats = d_ != MatrixType::s32;
    const bool halves = bits_of(a_) == 16;
    of_a_ = all.size() > 1 ? &all[1] : nullptr;
    const std::size_t needed =
        of_a_ == nullptr ? 0
                         : next + (floats ? 2 : 0) + (halves ? a_in_registers() ? 1 : 2 : 0) + 1;
    if (all.size() != needed) unsupported(instruction_);
    of_b_ = &all[2];
    if (sparse_) {
      metadata_ = &all[3];
      const std::int64_t selector = immediate(4);
      if (selector < 0 || selector > (bits_of(a_) == 8 ? 0 : 1)) unsupported(instruction_);
      options_.selector = static_cast<std::uint32_t>(selector);
    }
    adds_ = &all[next - 1];
    if (floats) {
      options_.negates_a = sign(next++);
      options_.negates_b = sign(next++);
    }
    if (halves) {
      if (!a_in_registers()) options_.transposes_a = flag(next++);
      options_.transposes_b = flag(next++);
    }
    options_.sparse = sparse_;
    options_.a_in_registers = a_in_registers();
    options_.saturates = instruction_.has(Modifier::satfinite);
    const std::size_t sums = columns_ * bits_of(d_) / 64;
    if (elements_of(all.front()).size() != sums ||
        (a_in_registers() && elements_of(*of_a_).size() != kRegistersOfA)) {
      unsupported(instruction_);
    }
  }

  void put(const Operand& operand, Type type, unsigned area, std::uint64_t offset) {
    writer_.ir.store(writer_.read_bits(operand, type, kLanes),
                     writer_.ir.pointer_offset(writer_.value_area(area), offset), 64);
  }

  [[nodiscard]] static std::vector<RegisterCopy> copies(const std::vector<Operand>& registers,
                                                        unsigned area, std::size_t count) {
    std::vector<RegisterCopy> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      all.push_back({registers[i], Type::b32, Writer::value_offset(area) + i * kLanes * 4});
    return all;
  }
  // Registers [first, first + count) of the sums, each group of columns in an area of its own.
  [[nodiscard]] static std::vector<RegisterCopy> part(const std::vector<Operand>& registers,
                                                      std::size_t first, std::size_t count,
                                                      std::size_t of_group) {
    std::vector<RegisterCopy> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto area = static_cast<unsigned>(i / of_group);
      all.push_back({registers[first + i], Type::b32,
                     Writer::value_offset(area) + i % of_group * kLanes * 4});
    }
    return all;
  }

  Writer& writer_;
  const Instruction& instruction_;
  bool sparse_;
  MatrixType d_, a_, b_;
  std::uint32_t depth_;
  std::uint32_t columns_ = 0;
  const Operand* of_a_ = nullptr;
  const Operand* of_b_ = nullptr;
  const Operand* metadata_ = nullptr;
  const Operand* adds_ = nullptr;
  runtime::ProductOptions options_;
};

void wait(Writer& writer, const Instruction& instruction) {
  const auto* pending = instruction.operands.size() == 1
                            ? std::get_if<ptx::Immediate>(&instruction.operands[0].value)
                            : nullptr;
  if (pending == nullptr) unsupported(instruction);
  writer.note_suspension();
  writer.call("emu_wgmma_wait", {writer.mask(), number(instruction.where.line),
                                 number(std::min<std::uint64_t>(pending->bits, INT32_MAX))});
}

}  // namespace

void lower_wgmma(Writer& writer, const Instruction& instruction) {
  if (!instruction.has(Modifier::sync) || !instruction.has(Modifier::aligned))
    unsupported(instruction);
  if (instruction.has(Modifier::mma_async)) {
    Product(writer, instruction).lower();
  } else if (instruction.has(Modifier::commit_group)) {
    writer.call("emu_wgmma_commit", {writer.mask(), number(instruction.where.line)});
  } else if (instruction.has(Modifier::wait_group)) {
    wait(writer, instruction);
  } else if (!instruction.has(Modifier::fence)) {
    unsupported(instruction);
  }
}

}  // namespace emulator::lower
