// Copies of tensors of compiled kernels. As in entry_points.cpp, nothing in a frame that may
// abandon the block owns anything.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "runtime/abi.h"
#include "runtime/atomics.h"
#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/mbarrier_operation.h"
#include "runtime/tensor_copy.h"
#include "runtime/tensor_map.h"

namespace emulator::runtime {
namespace {

constexpr std::uint64_t kChunk = 16;
constexpr std::uint64_t kBoxAlignment = 128;
constexpr std::uint64_t kMapAlignment = 64;

// Where lowering leaves what the lanes bring: areas of WarpContext::value.
constexpr unsigned kBox = 0;          // address of shared memory, 8 bytes per lane
constexpr unsigned kCoordinates = 1;  // four, 4 bytes per lane each
constexpr unsigned kFurther = 2;      // the fifth, and three offsets
constexpr unsigned kBarrier = 3;      // its address, 8 bytes per lane
constexpr unsigned kBlocks = 4;       // of a multicast: whose shared memory, 4 bytes per lane

class LaneCopy {
 public:
  LaneCopy(WarpContext& context, std::uint32_t first_site, unsigned lane, const TensorCopy& copy)
      : context_(context), first_site_(first_site), lane_(lane), copy_(copy) {}

  void run() {
    take_map();
    take_position();
    if (copy_.kind == TensorCopy::Kind::prefetch) return;
    const auto box = lane_value<std::uint64_t>(context_, kBox, lane_);
    if (box % kBoxAlignment != 0)
      refuse("copy of a tensor whose box in shared memory is not aligned to 128 bytes");
    if (copy_.kind != TensorCopy::Kind::load) return to_tensor(box);
    const auto barrier = lane_value<std::uint64_t>(context_, kBarrier, lane_);
    if (!copy_.multicast) return load(box, barrier);
    auto blocks = lane_value<std::uint32_t>(context_, kBlocks, lane_) & 0xFFFFU;
    for (; blocks != 0; blocks &= blocks - 1) {
      const std::uint64_t window = std::uint64_t{lowest(blocks)} * kSharedWindow;
      load(window + box % kSharedWindow, window + barrier % kSharedWindow);
    }
  }

 private:
  [[noreturn]] void refuse(const char* why) {
    report_text(context_, FaultKind::bad_instruction, lane_, site(TensorSite::map).line, why);
    context_.block->abandon();
  }
  [[nodiscard]] const Site& site(TensorSite which) const {
    return context_.block->launch().sites[first_site_ + static_cast<std::uint32_t>(which)];
  }
  [[nodiscard]] std::uint32_t index(TensorSite which) const {
    return first_site_ + static_cast<std::uint32_t>(which);
  }

  void take_map() {
    Checker checker(context_, index(TensorSite::map), kMapAlignment);
    const std::uint8_t* from = checker.check_span(lane_, context_.address[lane_], kTensorMapBytes);
    std::memcpy(static_cast<void*>(&map_), from, sizeof map_);
    // PTX ISA, cp.async.bulk.tensor: a map lies in global or constant memory or is a parameter. Of
    // one that is no __grid_constant__ the compiler makes a copy in local memory.
    if (is_local(context_, lane_, context_.address[lane_]))
      refuse(
          "copy by a tensor map in local memory: take it as const __grid_constant__ CUtensorMap");
    if (is_shared(context_, context_.address[lane_]))
      refuse("copy by a tensor map in shared memory: it has to lie in global memory");
    if (const char* why = fault_of(map_)) refuse(why);
    if (map_.rank != copy_.rank)
      refuse("copy of a tensor whose map has another number of dimensions");
    if (map_.mode != copy_.mode) refuse("copy of a tensor whose map is of another mode");
    if (copy_.gathers && (map_.box[1] != 1 || map_.interleave != TensorInterleave::none))
      refuse("copy of four rows of a tensor whose box is more than one row");
  }

  void take_position() {
    const auto number = [&](unsigned area, unsigned element) {
      std::int32_t value = 0;
      std::memcpy(&value, context_.value[area] + (element * kWarpSize + lane_) * sizeof value,
                  sizeof value);
      return value;
    };
    for (unsigned i = 0; i < 4; ++i) position_.at.at(i) = number(kCoordinates, i);
    position_.at[4] = number(kFurther, 0);
    for (unsigned i = 0; i < 3; ++i) position_.offsets.at(i) = number(kFurther, 1 + i);
    position_.gathers = copy_.gathers;
    if (copy_.mode == TensorMode::im2col_w || copy_.mode == TensorMode::im2col_w_128) take_halo();
    if (map_.interleave != TensorInterleave::none) return;
    const TensorUnit unit = map_.unit();
    if (is_padded(map_.type) && position_.at[0] % static_cast<std::int32_t>(kPaddedBox) != 0)
      refuse("copy of a tensor that does not begin at a multiple of 128 elements of a row");
    const std::int64_t begin = std::int64_t{position_.at[0]} * unit.bytes;
    if (begin % static_cast<std::int64_t>(kChunk * unit.elements) != 0)
      refuse("copy of a tensor that does not begin at a multiple of 16 bytes of a row");
  }

  // {halo, offset} are handed over as offsets (PTX ISA, cp.async.bulk.tensor).
  void take_halo() {
    const std::uint32_t most_of_halo = copy_.mode == TensorMode::im2col_w ? 512 : 32;
    constexpr std::int32_t kMostOfOffset = 32;
    position_.halo = static_cast<std::uint32_t>(position_.offsets[0]);
    position_.offsets = {position_.offsets[1]};
    if (position_.halo >= most_of_halo || position_.offsets[0] >= kMostOfOffset)
      refuse("copy of a tensor whose halo or offset is too large");
  }

  void load(std::uint64_t box, std::uint64_t barrier) {
    Checker tensor(context_, index(TensorSite::tensor), 1);
    Checker shared(context_, index(TensorSite::shared), kBoxAlignment);
    TensorRows rows(map_, position_);
    std::uint8_t* to = shared.check_span(lane_, box, rows.footprint());
    const TensorUnit unit = unit_of(map_.type);
    while (const auto row = rows.next()) {
      const std::uint8_t* from =
          row->inside == 0 ? nullptr : tensor.check_span(lane_, row->address, row->inside);
      for (std::uint32_t i = 0; i < row->bytes; i += unit.bytes) {
        std::array<std::uint64_t, 2> element = {filled(map_)};
        if (i >= row->before && i - row->before < row->inside) {
          const std::uint32_t at = i - row->before;
          std::memcpy(element.data(), from + at, std::min(unit.bytes, row->inside - at));
          element[0] = converted(map_, element[0]);
        }
        std::memcpy(to + place(box, place_in_box(*row, unit, i)), element.data(), unit.bytes);
      }
    }
    if (rows.leaves_its_box())
      refuse(
          "copy of a tensor whose halo crosses the end of its bounding box, which the emulator "
          "does not know");
    complete_transaction(context_, index(TensorSite::barrier), lane_, barrier, rows.bytes());
  }

  // An H100 ends with an illegal instruction where what is to be written begins before the tensor,
  // and writes whole stretches of 16 bytes where it ends within one (golden/).
  void to_tensor(std::uint64_t box) {
    const std::size_t coordinates = copy_.gathers ? position_.at.size() : map_.rank;
    for (std::size_t i = 0; i < coordinates; ++i) {
      if (position_.at.at(i) < 0) refuse("copy to a tensor that begins at a negative coordinate");
    }
    if (map_.type == TensorType::u4x16_p64)
      refuse("copy to a tensor of 4-bit elements that lie apart in shared memory");
    if (map_.flips != 0) refuse("copy to a tensor by a swizzle that flips 8 bytes");
    const bool reduces = copy_.kind == TensorCopy::Kind::reduce;
    const auto type = atomic_type_of(map_.type, copy_.operation);
    if (reduces && !type) refuse("reduction of a tensor by what its type has no operation for");
    Checker tensor(context_, index(TensorSite::tensor), 1);
    Checker shared(context_, index(TensorSite::shared), kBoxAlignment);
    TensorRows rows(map_, position_);
    const std::uint8_t* from = shared.check_span(lane_, box, rows.footprint());
    const TensorUnit unit = unit_of(map_.type);
    while (const auto row = rows.next()) {
      if (row->inside == 0) continue;
      std::uint8_t* to = tensor.check_span(lane_, row->address, row->inside);
      const std::uint64_t inside = written(*row);
      for (std::uint32_t i = 0; i < inside; i += unit.bytes) {
        alignas(16) std::uint8_t element[16] = {};
        const std::uint64_t there = place(box, place_in_box(*row, unit, row->before + i));
        std::memcpy(element, from + there, unit.box_bytes);
        if (map_.type == TensorType::u6x16_p32) pack_sixes(element);
        if (!reduces) {
          std::memcpy(to + i, element, std::min<std::uint64_t>(unit.bytes, inside - i));
          continue;
        }
        std::uint64_t old = 0;
        static_cast<void>(apply_atomic(copy_.operation, *type, to + i, element, element, &old));
      }
    }
  }

  // Byte `i` of a row, before the swizzle.
  static std::uint64_t place_in_box(const TensorRow& row, const TensorUnit& unit, std::uint32_t i) {
    return row.box_offset + std::uint64_t{i} / unit.bytes * unit.box_bytes;
  }

  // The lowest six bits of sixteen bytes, behind each other.
  static void pack_sixes(std::uint8_t (&bytes)[16]) {
    constexpr std::size_t kBits = 6;
    std::uint8_t packed[16] = {};
    for (std::size_t i = 0; i < std::size(bytes); ++i) {
      const std::size_t place = i * kBits;
      const unsigned two = (bytes[i] & 0x3FU) << (place % 8);
      packed[place / 8] |= static_cast<std::uint8_t>(two);
      packed[place / 8 + 1] |= static_cast<std::uint8_t>(two >> 8U);
    }
    std::memcpy(bytes, packed, sizeof packed);
  }

  // Of a row that is written: whole stretches of 16 bytes, as far as there is memory.
  [[nodiscard]] std::uint64_t written(const TensorRow& row) const {
    const std::uint64_t whole = (row.inside + kChunk - 1) / kChunk * kChunk;
    const std::uint64_t most = std::min<std::uint64_t>(whole, row.bytes - row.before);
    const Permission there = permission(context_, site(TensorSite::tensor), lane_, row.address);
    return holds(there.range, row.address, most) ? most : row.inside;
  }

  // From the box's beginning, which the swizzle takes for its place in shared memory.
  [[nodiscard]] std::uint64_t place(std::uint64_t box, std::uint64_t offset) const {
    return swizzled(map_, box + offset) - box;
  }

  WarpContext& context_;
  std::uint32_t first_site_;
  unsigned lane_;
  const TensorCopy& copy_;
  TensorMap map_;
  TensorPosition position_;
};

}  // namespace

extern "C" {

EMULATOR_KERNEL_MEMORY void emu_tensor_copy(WarpContext* context, std::uint32_t first_site,
                                            std::uint32_t mask, std::uint32_t how) {
  if (context->block->progress().stopped()) context->block->abandon();
  const TensorCopy copy = tensor_copy_of(how);
  for (; mask != 0; mask &= mask - 1) LaneCopy(*context, first_site, lowest(mask), copy).run();
}

EMULATOR_KERNEL_MEMORY void emu_tensor_map_replace(WarpContext* context, std::uint32_t site,
                                                   std::uint32_t mask, std::uint32_t field,
                                                   std::uint32_t index) {
  Checker checker(*context, site, kBoxAlignment);
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    std::uint8_t* at = checker.check(lane, context->address[lane]);
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), at, sizeof map);
    const char* why = nullptr;
    if (std::all_of(at, at + kTensorMapBytes, [](std::uint8_t byte) { return byte == 0; }))
      map = map_of_zeros();
    if (map.magic != TensorMap::kMagic) {
      why = "tensormap.replace of what is no tensor map";
    } else if (!replace(map, static_cast<TensorField>(field), index,
                        lane_value<std::uint64_t>(*context, 0, lane))) {
      why = "tensormap.replace by a value that the field cannot have";
    }
    if (why != nullptr) {
      report_text(*context, FaultKind::bad_instruction, lane, checker.site().line, why);
      context->block->abandon();
    }
    std::memcpy(at, &map, sizeof map);
  }
}

}  // extern "C"

}  // namespace emulator::runtime
