#include "lower/sparse_product.h"

#include <vector>

#include "lower/matrix_types.h"
#include "lower/register_copies.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;
using runtime::MatrixType;

constexpr unsigned kAreaOfSums = 0;
constexpr unsigned kAreaOfA = 1;
constexpr unsigned kAreaOfB = 2;
constexpr unsigned kAreaOfMetadata = 3;

// What PTX has (PTX ISA, "mma.sp", the table of shapes and types), and how many selectors: as many
// lanes of four, or pairs of lanes, may hold the metadata.
struct Form {
  MatrixType a;
  unsigned depth;
  unsigned selectors;
};
constexpr Form kForms[] = {
    {MatrixType::f16, 16, 4},          {MatrixType::f16, 32, 2},  {MatrixType::bf16, 16, 4},
    {MatrixType::bf16, 32, 2},         {MatrixType::tf32, 8, 4},  {MatrixType::tf32, 16, 2},
    {MatrixType::s8, 32, 2},           {MatrixType::s8, 64, 1},   {MatrixType::u8, 32, 2},
    {MatrixType::u8, 64, 1},           {MatrixType::s4, 64, 2},   {MatrixType::s4, 128, 1},
    {MatrixType::u4, 64, 2},           {MatrixType::u4, 128, 1},  {MatrixType::e4m3, 64, 1},
    {MatrixType::e5m2, 64, 1},         {MatrixType::e3m2, 64, 1}, {MatrixType::e2m3, 64, 1},
    {MatrixType::e2m1_in_byte, 64, 1},
};

unsigned depth_of(const Instruction& instruction) {
  struct Depth {
    Modifier word;
    unsigned depth;
  };
  static constexpr Depth kDepths[] = {{Modifier::m16n8k8, 8},
                                      {Modifier::m16n8k16, 16},
                                      {Modifier::m16n8k32, 32},
                                      {Modifier::m16n8k64, 64},
                                      {Modifier::m16n8k128, 128}};
  for (const Depth& each : kDepths)
    if (instruction.has(each.word)) return each.depth;
  return 0;
}

// .kind::f8f6f4 is of floats of 8 bits and less; those of less need it.
bool is_of_its_kind(const Instruction& instruction, MatrixType a, MatrixType b) {
  if (instruction.has(Modifier::kind_f8f6f4))
    return is_small_float(a) && instruction.has(Modifier::sp_ordered_metadata);
  return is_small_float(a) == is_byte_float(a) && is_small_float(b) == is_byte_float(b);
}

bool go_together(MatrixType d, MatrixType a, MatrixType b) {
  if (bits_of(a) != bits_of(b) || has_integers(a) != has_integers(b)) return false;
  if (has_integers(a)) return d == MatrixType::s32;
  if (bits_of(a) == 8) return d == MatrixType::f32 || d == MatrixType::f16;
  return a == b && (d == MatrixType::f32 || (d == MatrixType::f16 && a == MatrixType::f16));
}

}  // namespace

// d, a, b, c, metadata, selector
void multiply_sparse(Writer& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.types.size() != 4 || operands.size() != 6 || !instruction.has(Modifier::row) ||
      !instruction.has(Modifier::col)) {
    unsupported(instruction);
  }
  const auto type = [&](std::size_t i) {
    const auto found = matrix_type(instruction.types[i]);
    if (!found) unsupported(instruction);
    return *found;
  };
  const MatrixType d = type(0);
  const MatrixType a = type(1);
  const MatrixType b = type(2);
  const unsigned depth = depth_of(instruction);
  const Form* form = nullptr;
  for (const Form& each : kForms)
    if (each.a == a && each.depth == depth) form = &each;
  const auto* selector = std::get_if<ptx::Immediate>(&operands[5].value);
  if (form == nullptr || type(3) != d || !go_together(d, a, b) ||
      !is_of_its_kind(instruction, a, b) || selector == nullptr ||
      selector->bits >= form->selectors) {
    unsupported(instruction);
  }
  const auto copies = [&](unsigned operand, unsigned area, unsigned elements, MatrixType of) {
    const std::vector<ptx::Operand> registers = elements_of(operands[operand]);
    if (registers.size() != elements * bits_of(of) / (kLanes * 32)) unsupported(instruction);
    std::vector<RegisterCopy> all;
    all.reserve(registers.size());
    for (std::size_t i = 0; i < registers.size(); ++i)
      all.push_back({registers[i], Type::b32, Writer::value_offset(area) + i * kLanes * 4});
    return all;
  };
  hand_over(writer, copies(1, kAreaOfA, 16 * depth / 2, a));
  hand_over(writer, copies(2, kAreaOfB, 8 * depth, b));
  hand_over(writer, copies(3, kAreaOfSums, 16 * 8, d));
  const std::vector<ptx::Operand> metadata = elements_of(operands[4]);
  if (metadata.size() != 1) unsupported(instruction);
  writer.ir.store(writer.read(metadata[0], "i32", kLanes), writer.value_area(kAreaOfMetadata), 64);
  const auto code = [](MatrixType of) { return static_cast<std::uint64_t>(of); };
  writer.call("emu_sparse_product",
              {writer.mask(), number(instruction.where.line),
               number(code(a) | code(b) << 8U | code(d) << 16U), number(depth),
               number(selector->bits), number(instruction.has(Modifier::satfinite) ? 1 : 0)});
  take_back(writer, copies(0, kAreaOfSums, 16 * 8, d));
}

}  // namespace emulator::lower
