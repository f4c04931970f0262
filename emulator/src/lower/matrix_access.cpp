// ldmatrix and stmatrix, which move matrices between shared memory and the registers of a warp, and
// movmatrix, which transposes one there.
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "lower/address.h"
#include "lower/operand_types.h"
#include "lower/register_copies.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

constexpr unsigned kRowBytes = 16;  // of every matrix, in memory

enum class Direction : std::uint8_t { load, store };
enum class Transposed : std::uint8_t { no, yes, either };

// What PTX has (PTX ISA, "ldmatrix" and "stmatrix").
struct Form {
  Direction direction;
  Modifier shape;
  Type type;                       // none where a format is named
  std::optional<Modifier> format;  // in memory
  unsigned bits;                   // of an element in memory
  unsigned rows;                   // there
  Transposed transposed;
  unsigned registers;  // of a matrix
  unsigned most;       // matrices
};
constexpr Form kForms[] = {
    {Direction::load, Modifier::m8n8, Type::b16, {}, 16, 8, Transposed::either, 1, 4},
    {Direction::load, Modifier::m16n16, Type::b8, {}, 8, 16, Transposed::yes, 2, 2},
    {Direction::load, Modifier::m16n16, Type::none, Modifier::b6x16_p32, 6, 16, Transposed::yes, 2,
     2},
    {Direction::load, Modifier::m16n16, Type::none, Modifier::b4x16_p64, 4, 16, Transposed::yes, 2,
     2},
    {Direction::load, Modifier::m8n16, Type::none, Modifier::b6x16_p32, 6, 8, Transposed::no, 1, 4},
    {Direction::load, Modifier::m8n16, Type::none, Modifier::b4x16_p64, 4, 8, Transposed::no, 1, 4},
    {Direction::store, Modifier::m8n8, Type::b16, {}, 16, 8, Transposed::either, 1, 4},
    {Direction::store, Modifier::m16n8, Type::b8, {}, 8, 8, Transposed::yes, 1, 4},
};

bool is_of(const Instruction& instruction, const Form& form) {
  const bool formats = instruction.has(Modifier::b6x16_p32) ||
                       instruction.has(Modifier::b4x16_p64) || instruction.has(Modifier::b8x16);
  const bool typed = form.format ? instruction.types.empty() && instruction.has(*form.format) &&
                                       instruction.has(Modifier::b8x16)
                                 : instruction.types == std::vector{form.type} && !formats;
  const bool transposes = instruction.has(Modifier::trans);
  return typed && instruction.has(form.shape) &&
         (form.transposed == Transposed::either ||
          transposes == (form.transposed == Transposed::yes));
}

const Form& form_of(const Instruction& instruction, Direction direction) {
  for (const Form& form : kForms)
    if (form.direction == direction && is_of(instruction, form)) return form;
  unsupported(instruction);
}

unsigned count_of(const Instruction& instruction) {
  const unsigned count = (instruction.has(Modifier::x1) ? 1U : 0U) +
                         (instruction.has(Modifier::x2) ? 2U : 0U) +
                         (instruction.has(Modifier::x4) ? 4U : 0U);
  if (!std::has_single_bit(count)) unsupported(instruction);  // none, or several
  return count;
}

class MatrixAccess {
 public:
  MatrixAccess(Writer& writer, const Instruction& instruction, Direction direction)
      : writer_(writer),
        form_(form_of(instruction, direction)),
        count_(count_of(instruction)),
        transposed_(instruction.has(Modifier::trans)),
        registers_(elements_of(instruction.operands.at(direction == Direction::store ? 1 : 0))),
        address_(writer, instruction.operands.at(direction == Direction::store ? 0 : 1),
                 instruction.space),
        site_(writer.add_site(
            instruction,
            direction == Direction::store ? runtime::AccessKind::store : runtime::AccessKind::load,
            instruction.space, 4, kRowBytes / 4)) {
    if (count_ > form_.most || registers_.size() != std::size_t{count_} * form_.registers)
      unsupported(instruction);
    require_width(writer, instruction, direction == Direction::store ? 1 : 0, 32);
  }

  void load() {
    writer_.ir.store(address_.lanes(), writer_.address_area(), 64);
    if (is_of_halves()) {
      move("emu_load_matrix");
    } else {
      writer_.call("emu_load_byte_matrix", {number(site_), writer_.mask(), number(count_),
                                            number(form_.rows), number(form_.bits)});
    }
    take_back(writer_, copies());
  }

  void store() {
    writer_.ir.store(address_.lanes(), writer_.address_area(), 64);
    hand_over(writer_, copies());
    if (is_of_halves()) {
      move("emu_store_matrix");
    } else {
      writer_.call("emu_store_byte_matrix", {number(site_), writer_.mask(), number(count_)});
    }
  }

 private:
  [[nodiscard]] bool is_of_halves() const { return form_.bits == 16; }
  [[nodiscard]] std::vector<RegisterCopy> copies() const {
    std::vector<RegisterCopy> all;
    all.reserve(registers_.size());
    for (std::size_t i = 0; i < registers_.size(); ++i) {
      all.push_back({registers_[i], Type::b32, Writer::value_offset(0) + i * kLanes * 4});
    }
    return all;
  }
  void move(const char* name) {
    writer_.call(name,
                 {number(site_), writer_.mask(), number(count_), number(transposed_ ? 1 : 0)});
  }

  Writer& writer_;
  const Form& form_;
  unsigned count_;
  bool transposed_;
  std::vector<ptx::Operand> registers_;
  AccessAddress address_;
  std::uint32_t site_;
};

// movmatrix: an 8 x 8 matrix that lies across the lanes, transposed. Lane l holds two neighbours of
// row l / 4.
void transpose(Writer& writer, const Instruction& instruction) {
  if (!instruction.has(Modifier::m8n8) || !instruction.has(Modifier::trans) ||
      instruction.type() != Type::b16) {
    unsupported(instruction);
  }
  Ir& ir = writer.ir;
  const Value a = writer.read(instruction.operands.at(1), "i32", kLanes);
  const Value none{"poison", a.element, a.lanes};
  std::array<std::vector<int>, 2> sources;
  LaneOffsets shift{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned row = lane / 4;  // of the result, so a column of the source
    for (unsigned i = 0; i < 2; ++i)
      sources.at(i).push_back(static_cast<int>((2 * (lane % 4) + i) * 4 + row / 2));
    shift.at(lane) = row % 2 == 0 ? 0 : 16;
  }
  const Value half = Ir::lane_constants(shift, "i32");
  const Value low =
      ir.binary("and", ir.binary("lshr", ir.shuffle(a, none, sources[0]), half), 0xFFFF);
  const Value high = ir.binary("shl", ir.binary("lshr", ir.shuffle(a, none, sources[1]), half), 16);
  writer.write_result(instruction, ir.binary("or", low, high));
}

}  // namespace

void lower_ldmatrix(Writer& writer, const Instruction& instruction) {
  MatrixAccess(writer, instruction, Direction::load).load();
}
void lower_stmatrix(Writer& writer, const Instruction& instruction) {
  MatrixAccess(writer, instruction, Direction::store).store();
}
void lower_movmatrix(Writer& writer, const Instruction& instruction) {
  transpose(writer, instruction);
}

}  // namespace emulator::lower
