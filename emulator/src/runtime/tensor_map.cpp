#include "runtime/tensor_map.h"

#include <algorithm>

namespace emulator::runtime {
namespace {

constexpr std::uint64_t kLargestDimension = std::uint64_t{1} << 32U;
constexpr std::uint64_t kStrideLimit = std::uint64_t{1} << 40U;
constexpr unsigned kLargestElementStride = 8;
constexpr unsigned kLargestBox = 256;  // along a dimension
constexpr unsigned kMostPixels = 1024;

bool is_from_1_to(unsigned value, unsigned most) { return value >= 1 && value <= most; }

// The checks follow each other: each may use what those before it saw to.
const char* fault_of_fields(const TensorMap& map) {
  const bool numbers = map.mode <= TensorMode::im2col_w_128 && map.type <= TensorType::u6x16_p32 &&
                       map.interleave <= TensorInterleave::bytes_32 &&
                       map.fill <= TensorFill::nan && map.flips <= 1;
  if (!numbers) return "copy of a tensor whose map has a field of no known value";
  if (!is_from_1_to(map.rank, kMostDimensions))
    return "copy of a tensor whose map has not one to five dimensions";
  const bool narrow = (map.swizzle == 32 || map.swizzle == 64) && map.atom == 16;
  const bool wide = map.swizzle == 128 && (map.atom == 16 || map.atom == 32 || map.atom == 64);
  const bool swizzles = map.swizzle == 0 || narrow || wide;
  if (!swizzles || (map.flips != 0 && map.atom != 32))
    return "copy of a tensor by a swizzle that does not fit its map";
  return nullptr;
}

const char* fault_of_tensor(const TensorMap& map) {
  const bool in_32 = map.interleave == TensorInterleave::bytes_32 || is_padded(map.type);
  const std::uint64_t granule = in_32 ? 32 : 16;
  bool aligned = map.address % granule == 0;
  bool bounded = map.dims[0] <= kLargestDimension;
  for (std::size_t i = 1; i < map.rank; ++i) {
    const std::uint64_t stride = map.strides.at(i - 1);
    aligned = aligned && stride % granule == 0;
    bounded = bounded && map.dims.at(i) <= kLargestDimension && stride < kStrideLimit;
  }
  if (!aligned)
    return "copy of a tensor whose address or strides are no multiple of 16 or 32 bytes";
  return bounded ? nullptr : "copy of a tensor whose dimensions or strides are too large";
}

const char* fault_of_box(const TensorMap& map) {
  for (std::size_t i = 0; i < map.rank; ++i) {
    if (!is_from_1_to(map.element_strides.at(i), kLargestElementStride))
      return "copy of a tensor whose element strides are not 1 to 8";
    if (map.mode == TensorMode::tiled && !is_from_1_to(map.box.at(i), kLargestBox))
      return "copy of a tensor whose box has not 1 to 256 elements along a dimension";
  }
  if (map.mode == TensorMode::tiled) return nullptr;
  if (map.rank < 3) return "copy of pixels of a tensor of less than three dimensions";
  if (!is_from_1_to(map.channels, kLargestBox))
    return "copy of pixels of a tensor that have not 1 to 256 channels";
  if (map.mode != TensorMode::im2col_w_128 && !is_from_1_to(map.pixels, kMostPixels))
    return "copy of a tensor that has not 1 to 1024 pixels";
  return nullptr;
}

const char* fault_of_layout(const TensorMap& map) {
  if (map.interleave != TensorInterleave::none) {
    if (map.rank < 3) return "copy of an interleaved tensor of less than three dimensions";
    if (is_padded(map.type)) return "copy of a tensor by a type that does not fit its map";
    const bool of_images = map.mode == TensorMode::tiled || map.mode == TensorMode::im2col;
    if (!of_images || (map.interleave == TensorInterleave::bytes_32 && map.swizzle != 32))
      return "copy of a tensor by an interleaved layout that does not fit its map";
    if (map.mode == TensorMode::im2col && map.channels * unit_of(map.type).bytes % 16 != 0)
      return "copy of pixels of a tensor whose channels are no multiple of 16 bytes";
    return nullptr;
  }
  const std::uint32_t elements = map.count(0);
  if (is_padded(map.type) && (elements != kPaddedBox || map.flips != 0))
    return "copy of a tensor by a type that does not fit its map";
  const TensorUnit unit = unit_of(map.type);
  if (elements * unit.bytes % (16 * unit.elements) != 0)
    return "copy of a tensor whose map has rows of its box that are no multiple of 16 bytes";
  if (map.swizzle != 0 && elements * unit.box_bytes / unit.elements > map.swizzle)
    return "copy of a tensor whose map has rows of its box that are wider than its swizzle";
  return nullptr;
}

}  // namespace

TensorUnit unit_of(TensorType type) {
  switch (type) {
    case TensorType::u8:
      return {1, 1, 1};
    case TensorType::u16:
    case TensorType::f16:
    case TensorType::bf16:
      return {1, 2, 2};
    case TensorType::u64:
    case TensorType::s64:
    case TensorType::f64:
      return {1, 8, 8};
    case TensorType::u4x16:
      return {2, 1, 1};
    case TensorType::u4x16_p64:
      return {16, 8, 16};
    case TensorType::u6x16_p32:
      return {16, 12, 16};
    default:
      return {1, 4, 4};
  }
}

TensorUnit TensorMap::unit() const {
  switch (interleave) {
    case TensorInterleave::bytes_16:
      return {1, 16, 16};
    case TensorInterleave::bytes_32:
      return {1, 32, 32};
    default:
      return unit_of(type);
  }
}

std::uint32_t TensorMap::count(std::size_t dimension) const {
  constexpr std::uint32_t kPixelsOf128 = 128;
  if (mode == TensorMode::im2col_w_128 && dimension != 0) return kPixelsOf128;
  if (mode != TensorMode::tiled) return dimension == 0 ? channels : pixels;
  const bool interleaved = interleave != TensorInterleave::none;
  // The slices of the channels are the dimension below the images, and are copied one at a time.
  if (interleaved && dimension + 2 == rank) return 1;
  // Without slices the innermost dimension has no stride (cuTensorMapEncodeTiled).
  const std::uint32_t stride = dimension == 0 && !interleaved ? 1 : element_strides.at(dimension);
  return (box.at(dimension) + stride - 1) / stride;
}

std::uint64_t TensorMap::pitch() const {
  const TensorUnit unit = this->unit();
  const std::uint64_t row = std::uint64_t{count(0)} * unit.box_bytes / unit.elements;
  return interleave == TensorInterleave::none ? std::max<std::uint64_t>(row, swizzle) : row;
}

TensorRows::TensorRows(const TensorMap& map, const TensorPosition& position)
    : map_(map), position_(position) {
  constexpr std::uint64_t kGatheredRows = 4;
  constexpr std::uint64_t kPixelsToAHalo = 32;
  const bool interleaved = map.interleave != TensorInterleave::none;
  first_dimension_ = interleaved ? 0 : 1;
  width_ = interleaved ? 1 : map.count(0);
  std::ranges::copy(position.at, at_.begin());
  begin_ = at_;
  if (map.mode == TensorMode::tiled) {
    rows_ = map.count(0) / width_;
    for (std::size_t i = 1; i < map.rank; ++i) rows_ *= map.count(i);
  } else {
    // One slice of the channels at a time, however many the map has for a pixel (tests/golden).
    rows_ = map.count(1);
  }
  if (position.gathers) rows_ = kGatheredRows;
  stretch_ =
      map.mode == TensorMode::im2col_w_128 ? kPixelsToAHalo : std::max<std::uint64_t>(rows_, 1);
  rows_ += rows_ / stretch_ * position.halo;
}

std::uint64_t TensorRows::bytes() const {
  const TensorUnit unit = map_.unit();
  return rows_ * width_ * unit.bytes / unit.elements;
}

std::uint64_t TensorRows::footprint() const {
  const std::uint64_t bytes = rows_ * (width_ == 1 ? map_.unit().box_bytes : map_.pitch());
  if (map_.swizzle == 0) return bytes;
  return (bytes + map_.swizzle - 1) / map_.swizzle * map_.swizzle;
}

std::optional<TensorRow> TensorRows::next() {
  if (done_ == rows_) return std::nullopt;
  const std::uint64_t in_stretch = done_ % (stretch_ + position_.halo);
  if (in_stretch < stretch_) {
    last_ = at_;
    if (position_.gathers) at_[1] = position_.at.at(1 + done_);
    const TensorRow found = row(at_);
    ++done_;
    advance();
    return found;
  }
  Place halo = last_;
  halo[1] += static_cast<std::int64_t>(in_stretch - stretch_ + 1) * map_.element_strides[1];
  leaves_box_ = halo[1] >= end_of_box(1);
  if (leaves_box_) return std::nullopt;
  const TensorRow found = row(halo);
  ++done_;
  return found;
}

TensorRow TensorRows::row(const Place& at) const {
  const TensorUnit unit = map_.unit();
  const auto bytes = [&](std::int64_t units) {
    return static_cast<std::uint64_t>(units) * unit.bytes / unit.elements;
  };
  const std::uint64_t pitch = width_ == 1 ? unit.box_bytes : map_.pitch();
  TensorRow row = {.box_offset = done_ * pitch, .bytes = static_cast<std::uint32_t>(bytes(width_))};
  std::uint64_t address = map_.address;
  const auto place_along = [&](std::size_t i) {
    const bool moved = i >= first_dimension_ && i < first_dimension_ + map_.rank - 2;
    return at.at(i) + (map_.mode != TensorMode::tiled && moved
                           ? position_.offsets.at(i - first_dimension_)
                           : 0);
  };
  for (std::size_t i = 1; i < map_.rank; ++i) {
    const std::int64_t place = place_along(i);
    if (place < 0 || static_cast<std::uint64_t>(place) >= map_.dims.at(i)) return row;
    address += static_cast<std::uint64_t>(place) * map_.strides.at(i - 1);
  }
  const std::int64_t first = place_along(0);
  const std::int64_t begin = std::max<std::int64_t>(first, 0);
  const std::int64_t end =
      std::min<std::int64_t>(first + width_, static_cast<std::int64_t>(map_.dims[0]));
  if (begin >= end) return row;
  row.before = static_cast<std::uint32_t>(bytes(begin - first));
  row.inside = static_cast<std::uint32_t>(bytes(end - begin));
  row.address = address + bytes(begin);
  return row;
}

std::int64_t TensorRows::end_of_box(std::size_t dimension) const {
  return static_cast<std::int64_t>(map_.dims.at(dimension)) +
         map_.upper.at(dimension - first_dimension_);
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
  const std::size_t dimensions = map_.mode == TensorMode::im2col ? map_.rank - 2U : 1;
  for (std::size_t i = first_dimension_; i < first_dimension_ + dimensions; ++i) {
    at_.at(i) += map_.element_strides.at(i);
    if (at_.at(i) < end_of_box(i)) return;
    at_.at(i) = map_.lower.at(i - first_dimension_);
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
      TensorType::u8,       TensorType::u16,   TensorType::u32,       TensorType::s32,
      TensorType::u64,      TensorType::s64,   TensorType::f16,       TensorType::f32,
      TensorType::f32_ftz,  TensorType::f64,   TensorType::bf16,      TensorType::tf32,
      TensorType::tf32_ftz, TensorType::u4x16, TensorType::u4x16_p64, TensorType::u6x16_p32};
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
    case TensorField::swizzle_atomicity:
      if (value > 3) return false;
      map.atom = static_cast<std::uint8_t>(value == 0 ? 16U : value == 3 ? 64U : 32U);
      map.flips = value == 2 ? 1 : 0;
      return true;
  }
  return false;
}

const char* fault_of(const TensorMap& map) {
  if (map.magic != TensorMap::kMagic) return "copy of a tensor by what is no tensor map";
  for (const auto check : {fault_of_fields, fault_of_tensor, fault_of_box, fault_of_layout}) {
    if (const char* why = check(map)) return why;
  }
  return nullptr;
}

std::uint64_t swizzled(const TensorMap& map, std::uint64_t address) {
  if (map.swizzle == 0) return address;
  constexpr std::uint64_t kLine = 128;  // after so many bytes the pattern moves on
  constexpr std::uint64_t kHalf = 8;
  const std::uint64_t line = address / kLine;
  const std::uint64_t flipped = map.flips != 0 && line % 2 != 0 ? kHalf : 0;
  return address ^ (line & (map.swizzle / map.atom - 1U)) * map.atom ^ flipped;
}

// As an H100 does (tests/golden).
std::uint64_t filled(const TensorMap& map) {
  return map.fill == TensorFill::zeros ? 0 : 0x7FF77FF77FF77FF7;
}

}  // namespace emulator::runtime
