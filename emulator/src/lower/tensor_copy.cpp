// Copies of tensors, and what changes the maps that describe these. The runtime does the work
// (runtime/tensor_entry_points.cpp); here the lanes' operands are handed over.
#include "lower/tensor_copy.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "lower/address.h"
#include "lower/atomic.h"
#include "lower/bulk_copy.h"
#include "runtime/tensor_copy.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Space;
using runtime::AccessKind;
using runtime::TensorCopy;
using runtime::TensorField;
using runtime::TensorMode;

constexpr unsigned kAreaOfBox = 0;
constexpr unsigned kAreaOfCoordinates = 1;
constexpr unsigned kAreaOfFurther = 2;
constexpr unsigned kAreaOfBarrier = 3;
constexpr unsigned kAreaOfBlocks = 4;

std::uint32_t rank_of(const Instruction& instruction) {
  static constexpr std::array kWords = {Modifier::dim_1d, Modifier::dim_2d, Modifier::dim_3d,
                                        Modifier::dim_4d, Modifier::dim_5d};
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (instruction.has(kWords.at(i))) return static_cast<std::uint32_t>(i) + 1;
  unsupported(instruction);
}

class Copy {
 public:
  Copy(Writer& writer, const Instruction& instruction)
      : writer_(writer), instruction_(instruction), operands_(instruction.operands) {
    copy_.rank = rank_of(instruction);
    copy_.kind = kind();
    copy_.mode = mode();
    const bool gathers = instruction.has(Modifier::tile_gather4);
    const bool scatters = instruction.has(Modifier::tile_scatter4);
    copy_.gathers = gathers || scatters;
    // Loads have an mbarrier, what goes the other way is waited for in a group.
    const bool at_barrier = instruction.has(Modifier::mbarrier_complete_tx_bytes);
    const bool in_group = instruction.has(Modifier::bulk_group);
    const bool loads = copy_.kind == TensorCopy::Kind::load;
    const bool reads = loads || copy_.kind == TensorCopy::Kind::prefetch;
    if (at_barrier != loads || in_group == reads ||
        (copy_.mode != TensorMode::tiled && copy_.rank < 3) || (copy_.gathers && copy_.rank != 2) ||
        (gathers && !reads) || (scatters && reads) || (is_along_rows() && !reads)) {
      unsupported(instruction);
    }
    copy_.multicast = instruction.has(Modifier::multicast_cluster);
    if (copy_.kind == TensorCopy::Kind::reduce) copy_.operation = atomic_operation(instruction);
    if (reads && (instruction.has(Modifier::im2col) || is_along_rows()))
      offsets_ = is_along_rows() ? 2 : copy_.rank - 2;
  }

  void lower() {
    const bool loads = copy_.kind == TensorCopy::Kind::load;
    std::size_t next = 0;
    const Operand* box = nullptr;
    if (loads) box = &operand(next++);
    const Operand& tensor = operand(next++);
    if (copy_.kind == TensorCopy::Kind::store || copy_.kind == TensorCopy::Kind::reduce)
      box = &operand(next++);
    const Operand* barrier = loads ? &operand(next++) : nullptr;
    const Operand* offsets = offsets_ != 0 ? &operand(next++) : nullptr;
    const Operand* blocks = copy_.multicast ? &operand(next++) : nullptr;
    if (instruction_.has(Modifier::L2_cache_hint)) ++next;
    if (operands_.size() != next) unsupported(instruction_);

    const Space of_box = loads ? instruction_.space : Space::shared;
    add_sites(of_box);
    put_position(tensor, offsets);
    if (box != nullptr) put_address(*box, kAreaOfBox, of_box);
    if (barrier != nullptr) put_address(*barrier, kAreaOfBarrier, Space::shared);
    if (blocks != nullptr) put(writer_.read(*blocks, "i32", kLanes), kAreaOfBlocks, 0);
    const auto* parts = std::get_if<ptx::Vector>(&tensor.value);
    writer_.ir.store(AccessAddress(writer_, parts->elements[0], Space::generic).lanes(),
                     writer_.address_area(), 64);
    writer_.call("emu_tensor_copy",
                 {number(first_site_), writer_.mask(), number(runtime::number_of(copy_))});
  }

 private:
  [[nodiscard]] TensorCopy::Kind kind() const {
    if (instruction_.has(Modifier::prefetch)) return TensorCopy::Kind::prefetch;
    if (instruction_.space == Space::shared && instruction_.second_space == Space::global)
      return TensorCopy::Kind::load;
    if (instruction_.space != Space::global || instruction_.second_space != Space::shared)
      unsupported(instruction_);
    return instruction_.has(Modifier::reduce) ? TensorCopy::Kind::reduce : TensorCopy::Kind::store;
  }

  [[nodiscard]] TensorMode mode() const {
    struct Mode {
      Modifier word;
      TensorMode mode;
    };
    static constexpr Mode kModes[] = {{Modifier::tile, TensorMode::tiled},
                                      {Modifier::tile_gather4, TensorMode::tiled},
                                      {Modifier::tile_scatter4, TensorMode::tiled},
                                      {Modifier::im2col, TensorMode::im2col},
                                      {Modifier::im2col_no_offs, TensorMode::im2col},
                                      {Modifier::im2col_w, TensorMode::im2col_w},
                                      {Modifier::im2col_w_128, TensorMode::im2col_w_128}};
    TensorMode found = TensorMode::tiled;
    unsigned words = 0;
    for (const Mode& each : kModes) {
      if (!instruction_.has(each.word)) continue;
      found = each.mode;
      ++words;
    }
    if (words > 1) unsupported(instruction_);
    return found;
  }
  // Of one row of an image, with a halo.
  [[nodiscard]] bool is_along_rows() const {
    return copy_.mode == TensorMode::im2col_w || copy_.mode == TensorMode::im2col_w_128;
  }

  [[nodiscard]] const Operand& operand(std::size_t index) const {
    if (index >= operands_.size()) unsupported(instruction_);
    return operands_[index];
  }

  // In the order of runtime::TensorSite.
  void add_sites(Space of_box) {
    const bool loads = copy_.kind == TensorCopy::Kind::load;
    const AccessKind of_tensor = loads                                    ? AccessKind::load
                                 : copy_.kind == TensorCopy::Kind::reduce ? AccessKind::atomic
                                                                          : AccessKind::store;
    first_site_ = writer_.add_site(instruction_, AccessKind::load, Space::generic, 64, 1);
    writer_.add_site(instruction_, of_tensor, Space::global, 1, 1);
    writer_.add_site(instruction_, loads ? AccessKind::store : AccessKind::load, of_box, 1, 1);
    writer_.add_site(instruction_, AccessKind::atomic, Space::shared, 8, 1);
  }

  // [map, {coordinates}] and {offsets}, or {halo, offset}.
  void put_position(const Operand& tensor, const Operand* offsets) {
    const auto* parts = std::get_if<ptx::Vector>(&tensor.value);
    const bool paired = parts != nullptr && parts->elements.size() == 2 &&
                        std::holds_alternative<ptx::Address>(parts->elements[0].value);
    if (!paired) unsupported(instruction_);
    const std::vector<Operand> coordinates = elements_of(parts->elements[1]);
    const std::size_t count = copy_.gathers ? 5 : copy_.rank;
    if (coordinates.size() != count) unsupported(instruction_);
    for (unsigned i = 0; i < count; ++i) {
      const bool fifth = i == 4;
      put(writer_.read(coordinates[i], "i32", kLanes, true),
          fifth ? kAreaOfFurther : kAreaOfCoordinates, fifth ? 0 : i);
    }
    for (unsigned i = 0; i < 3; ++i) {
      Value offset = Ir::constant(0, "i32", kLanes);
      if (offsets != nullptr && i < offsets_) {
        const std::vector<Operand> all = elements_of(*offsets);
        if (all.size() != offsets_) unsupported(instruction_);
        // Of 16 bits without a sign (PTX ISA, cp.async.bulk.tensor).
        offset = writer_.ir.binary("and", writer_.read(all[i], "i32", kLanes), 0xFFFF);
      }
      put(offset, kAreaOfFurther, 1 + i);
    }
  }

  // The lanes' 32-bit values as the `element`-th of an area.
  void put(const Value& value, unsigned area, unsigned element) {
    writer_.ir.store(
        value,
        writer_.ir.pointer_offset(writer_.value_area(area), std::uint64_t{element} * kLanes * 4),
        64);
  }
  void put_address(const Operand& address, unsigned area, Space space) {
    writer_.ir.store(AccessAddress(writer_, address, space).lanes(), writer_.value_area(area), 64);
  }

  Writer& writer_;
  const Instruction& instruction_;
  const std::vector<Operand>& operands_;
  TensorCopy copy_;
  std::uint32_t offsets_ = 0;
  std::uint32_t first_site_ = 0;
};

struct Field {
  Modifier word;
  TensorField field;
  bool indexed;
};
constexpr Field kFields[] = {
    {Modifier::global_address, TensorField::global_address, false},
    {Modifier::rank, TensorField::rank, false},
    {Modifier::box_dim, TensorField::box_dim, true},
    {Modifier::global_dim, TensorField::global_dim, true},
    {Modifier::global_stride, TensorField::global_stride, true},
    {Modifier::element_stride, TensorField::element_stride, true},
    {Modifier::elemtype, TensorField::elemtype, false},
    {Modifier::interleave_layout, TensorField::interleave_layout, false},
    {Modifier::swizzle_mode, TensorField::swizzle_mode, false},
    {Modifier::fill_mode, TensorField::fill_mode, false},
    {Modifier::swizzle_atomicity, TensorField::swizzle_atomicity, false},
};

}  // namespace

void copy_tensor(Writer& writer, const Instruction& instruction) {
  Copy(writer, instruction).lower();
}

// tensormap.replace.tile.field.space.b1024.type [map], {index,} value
void lower_tensormap(Writer& writer, const Instruction& instruction) {
  if (instruction.has(Modifier::cp_fenceproxy)) return copy_tensor_map(writer, instruction);
  const auto& operands = instruction.operands;
  const Field* found = nullptr;
  for (const Field& field : kFields)
    if (instruction.has(field.word)) found = &field;
  const bool known = found != nullptr && instruction.has(Modifier::replace) &&
                     instruction.has(Modifier::tile) &&
                     operands.size() == (found->indexed ? 3U : 2U) &&
                     (instruction.space == Space::shared || instruction.space == Space::global ||
                      instruction.space == Space::generic);
  if (!known) unsupported(instruction);
  std::uint64_t index = 0;
  if (found->indexed) {
    const auto* immediate = std::get_if<ptx::Immediate>(&operands[1].value);
    if (immediate == nullptr || immediate->bits >= runtime::kMostDimensions)
      unsupported(instruction, "a map has five dimensions, 0 to 4");
    index = immediate->bits;
  }
  const std::uint32_t site =
      writer.add_site(instruction, AccessKind::store, instruction.space, 128, 1);
  writer.ir.store(AccessAddress(writer, operands[0], instruction.space).lanes(),
                  writer.address_area(), 64);
  writer.ir.store(writer.read(operands.back(), "i64", kLanes), writer.value_area(0), 64);
  writer.call("emu_tensor_map_replace",
              {number(site), writer.mask(), number(static_cast<std::uint64_t>(found->field)),
               number(index)});
}

}  // namespace emulator::lower
