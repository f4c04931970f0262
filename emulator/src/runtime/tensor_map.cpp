#include "runtime/tensor_map.h"

#include <algorithm>

namespace emulator::runtime {

std::uint32_t bytes_of(TensorType type) {
  switch (type) {
    case TensorType::u8:
      return 1;
    case TensorType::u16:
    case TensorType::f16:
    case TensorType::bf16:
      return 2;
    case TensorType::u64:
    case TensorType::s64:
    case TensorType::f64:
      return 8;
    default:
      return 4;
  }
}

std::uint32_t TensorMap::unit_bytes() const {
  switch (interleave) {
    case TensorInterleave::bytes_16:
      return 16;
    case TensorInterleave::bytes_32:
      return 32;
    default:
      return bytes_of(type);
  }
}

std::uint32_t TensorMap::count(std::size_t dimension) const {
  if (mode == TensorMode::im2col) return dimension == 0 ? channels : pixels;
  const bool interleaved = interleave != TensorInterleave::none;
  // The slices of the channels are the dimension below the images, and are copied one at a time.
  if (interleaved && dimension + 2 == rank) return 1;
  // Without slices the innermost dimension has no stride (cuTensorMapEncodeTiled).
  const std::uint32_t stride = dimension == 0 && !interleaved ? 1 : element_strides.at(dimension);
  return (box.at(dimension) + stride - 1) / stride;
}

std::uint64_t TensorMap::box_bytes() const {
  std::uint64_t bytes = unit_bytes();
  const std::size_t dimensions = mode == TensorMode::im2col ? 2 : rank;
  for (std::size_t i = 0; i < dimensions; ++i) bytes *= count(i);
  return bytes;
}

std::uint64_t TensorMap::pitch() const {
  const std::uint64_t row = std::uint64_t{count(0)} * unit_bytes();
  return interleave == TensorInterleave::none ? std::max<std::uint64_t>(row, swizzle) : row;
}

std::uint64_t TensorMap::footprint() const {
  return box_bytes() / (std::uint64_t{count(0)} * unit_bytes()) * pitch();
}

TensorRows::TensorRows(const TensorMap& map, const TensorPosition& position)
    : map_(map), offsets_(position.offsets) {
  const bool interleaved = map.interleave != TensorInterleave::none;
  first_dimension_ = interleaved ? 0 : 1;
  width_ = interleaved ? 1 : map.count(0);
  std::ranges::copy(position.at, at_.begin());
  begin_ = at_;
  rows_ = map.box_bytes() / (std::uint64_t{width_} * map.unit_bytes());
}

std::optional<TensorRow> TensorRows::next() {
  if (done_ == rows_) return std::nullopt;
  const TensorRow found = row();
  ++done_;
  advance();
  return found;
}

TensorRow TensorRows::row() const {
  const std::uint32_t unit = map_.unit_bytes();
  const std::uint64_t pitch = width_ == 1 ? unit : map_.pitch();
  TensorRow row = {.box_offset = done_ * pitch, .bytes = width_ * unit};
  std::uint64_t address = map_.address;
  for (std::size_t i = 1; i < map_.rank; ++i) {
    const bool moved = map_.mode == TensorMode::im2col && i + 1 < map_.rank;
    const std::int64_t at = at_.at(i) + (moved ? offsets_.at(i - 1) : 0);
    if (at < 0 || static_cast<std::uint64_t>(at) >= map_.dims.at(i)) return row;
    address += static_cast<std::uint64_t>(at) * map_.strides.at(i - 1);
  }
  const std::int64_t begin = std::max<std::int64_t>(at_[0], 0);
  const std::int64_t end =
      std::min<std::int64_t>(at_[0] + width_, static_cast<std::int64_t>(map_.dims[0]));
  if (begin >= end) return row;
  row.before = static_cast<std::uint32_t>(begin - at_[0]) * unit;
  row.inside = static_cast<std::uint32_t>(end - begin) * unit;
  row.address = address + static_cast<std::uint64_t>(begin) * unit;
  return row;
}

// In a box, from its first unit on by the strides. The pixels of an image follow each other within
// the corners of its bounding box, and behind the last comes the next image.
void TensorRows::advance() {
  if (map_.mode == TensorMode::tiled) {
    for (std::size_t i = first_dimension_; i < map_.rank; ++i) {
      at_.at(i) += map_.element_strides.at(i);
      if (++index_.at(i) < map_.count(i)) return;
      index_.at(i) = 0;
      at_.at(i) = begin_.at(i);
    }
    return;
  }
  for (std::size_t i = 1; i + 1 < map_.rank; ++i) {
    at_.at(i) += map_.element_strides.at(i);
    const std::int64_t end = static_cast<std::int64_t>(map_.dims.at(i)) + map_.upper.at(i - 1);
    if (at_.at(i) < end) return;
    at_.at(i) = map_.lower.at(i - 1);
  }
  ++at_.at(map_.rank - 1U);
}

TensorMap map_of_zeros() {
  TensorMap map = {.magic = TensorMap::kMagic, .rank = 1};
  map.box.fill(1);
  map.element_strides.fill(1);
  return map;
}

bool replace(TensorMap& map, TensorField field, std::uint32_t index, std::uint64_t value) {
  // By the numbers of PTX.
  static constexpr std::array kTypes = {
      TensorType::u8,   TensorType::u16,  TensorType::u32,     TensorType::s32,     TensorType::u64,
      TensorType::s64,  TensorType::f16,  TensorType::f32,     TensorType::f32_ftz, TensorType::f64,
      TensorType::bf16, TensorType::tf32, TensorType::tf32_ftz};
  switch (field) {
    case TensorField::global_address:
      map.address = value;
      return value % 16 == 0;
    case TensorField::rank:
      if (value >= kMostDimensions) return false;
      map.rank = static_cast<std::uint8_t>(value + 1);
      return true;
    case TensorField::box_dim:
      if (index >= kMostDimensions || value == 0 || value > 256) return false;
      map.box.at(index) = static_cast<std::uint16_t>(value);
      return true;
    case TensorField::global_dim:
      if (index >= kMostDimensions) return false;
      map.dims.at(index) = value;
      return true;
    case TensorField::global_stride:
      if (index + 1 >= kMostDimensions) return false;
      map.strides.at(index) = value;
      return true;
    case TensorField::element_stride:
      if (index >= kMostDimensions || value == 0 || value > 8) return false;
      map.element_strides.at(index) = static_cast<std::uint8_t>(value);
      return true;
    case TensorField::elemtype:
      if (value >= kTypes.size()) return false;
      map.type = kTypes.at(value);
      return true;
    case TensorField::interleave_layout:
      if (value > 2) return false;
      map.interleave = static_cast<TensorInterleave>(value);
      return true;
    case TensorField::swizzle_mode:
      if (value > 3) return false;
      map.swizzle = static_cast<std::uint8_t>(value == 0 ? 0 : 16U << value);
      return true;
    case TensorField::fill_mode:
      if (value > 1) return false;
      map.fill = static_cast<TensorFill>(value);
      return true;
  }
  return false;
}

std::uint64_t swizzled(const TensorMap& map, std::uint64_t address) {
  if (map.swizzle == 0) return address;
  constexpr std::uint64_t kChunk = 16;
  constexpr std::uint64_t kPattern = 128;  // after so many bytes it moves on
  return address ^ (address / kPattern & (map.swizzle / kChunk - 1)) * kChunk;
}

// As an H100 does (tests/golden).
std::uint64_t filled(const TensorMap& map) {
  return map.fill == TensorFill::zeros ? 0 : 0x7FF77FF77FF77FF7;
}

}  // namespace emulator::runtime
