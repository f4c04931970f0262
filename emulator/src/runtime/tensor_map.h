// A tensor map: which tensor, and which boxes or pixels of it, cp.async.bulk.tensor copies. CUDA
// gives a CUtensorMap no meaning but this one's size and alignment, so that it can be kept as it is
// used.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace emulator::runtime {

// The last two take pixels of one row of an image alone, and then of the same row of the next.
enum class TensorMode : std::uint8_t { tiled, im2col, im2col_w, im2col_w_128 };
enum class TensorInterleave : std::uint8_t { none, bytes_16, bytes_32 };
enum class TensorFill : std::uint8_t { zeros, nan };
// As CUtensorMapDataType numbers them.
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  u4x16,      // packed
  u4x16_p64,  // packed in the tensor; in a box sixteen begin each 16 bytes
  u6x16_p32,
};

// So many elements at the least are whole bytes, of the tensor and of a box.
struct TensorUnit {
  std::uint32_t elements = 1;
  std::uint32_t bytes = 0;
  std::uint32_t box_bytes = 0;
};
[[nodiscard]] TensorUnit unit_of(TensorType type);
// Whether the elements are spread out in a box.
[[nodiscard]] constexpr bool is_padded(TensorType type) {
  return type == TensorType::u4x16_p64 || type == TensorType::u6x16_p32;
}
// A copy of such elements begins at a multiple of so many.
inline constexpr std::uint32_t kPaddedBox = 128;

inline constexpr std::size_t kMostDimensions = 5;

// Dimensions count from the innermost. Strides and addresses are bytes.
struct TensorMap {
  static constexpr std::uint32_t kMagic = 0x4d544d45;  // "EMTM"

  std::uint32_t magic = 0;
  std::uint8_t rank = 0;  // 1 to 5
  TensorMode mode{};
  TensorType type{};
  TensorInterleave interleave{};
  std::uint8_t swizzle = 0;  // bytes: 0, 32, 64, 128
  TensorFill fill{};
  std::array<std::uint8_t, kMostDimensions> element_strides{};  // 1 to 8
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMostDimensions> dims{};
  std::array<std::uint64_t, kMostDimensions - 1> strides{};  // of all but the innermost
  std::array<std::uint16_t, kMostDimensions> box{};          // of a tiled map
  // Of an im2col map, for the dimensions that the pixels lie along: those between the channels and
  // the images, or where the layout is interleaved those below the slices.
  std::array<std::int16_t, 3> lower{};
  std::array<std::int16_t, 3> upper{};
  std::uint16_t channels = 0;
  std::uint16_t pixels = 0;
  // What a swizzle moves as a whole: 16, 32 or 64 bytes; and whether (0 or 1) it swaps the halves
  // of 16 bytes in every second line.
  std::uint8_t atom = 16;
  std::uint8_t flips = 0;

  // What a coordinate of the innermost dimension counts: elements, or where the layout is
  // interleaved slices of the channels.
  [[nodiscard]] TensorUnit unit() const;
  // How many are taken along a dimension of the box; of im2col's pixels, without halos.
  [[nodiscard]] std::uint32_t count(std::size_t dimension) const;
  // From row to row of a box in shared memory: a swizzle takes whole rows of its own width.
  [[nodiscard]] std::uint64_t pitch() const;
};
inline constexpr std::size_t kTensorMapBytes = 128;
static_assert(sizeof(TensorMap) == kTensorMapBytes);

struct TensorPosition {
  std::array<std::int32_t, kMostDimensions> at{};
  std::array<std::int32_t, 3> offsets{};  // of an im2col load
  std::uint32_t halo = 0;                 // pixels of an im2col_w load
  bool gathers = false;                   // rows at[1] to at[4] of a matrix, or scatters them
};

// Neighbours along the innermost dimension: a row of a box, the channels of a pixel, or one slice
// of an interleaved layout. Bytes [0, before) and [before + inside, bytes) lie outside the tensor.
struct TensorRow {
  std::uint64_t box_offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t before = 0;
  std::uint32_t inside = 0;
  std::uint64_t address = 0;  // of the first inside, where there is one
};

// The rows of what is copied at a position, one after the other.
class TensorRows {
 public:
  TensorRows(const TensorMap& map, const TensorPosition& position);
  [[nodiscard]] std::optional<TensorRow> next();
  // Bytes that are copied, and that a box takes of shared memory with all that a swizzle moves.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t footprint() const;
  // There is no next row, since it would be a halo's that lies beyond the bounding box: the PTX ISA
  // does not say whether the next image's pixels follow there.
  [[nodiscard]] bool leaves_its_box() const { return leaves_box_; }

 private:
  using Place = std::array<std::int64_t, kMostDimensions>;

  [[nodiscard]] TensorRow row(const Place& at) const;
  // Behind the last pixel of im2col's dimension along a row of an image.
  [[nodiscard]] std::int64_t end_of_box(std::size_t dimension) const;
  void advance();

  const TensorMap& map_;
  TensorPosition position_;
  std::size_t first_dimension_;  // of those that rows, or pixels, follow each other along
  std::uint32_t width_;          // units in a row
  Place at_{};                   // of the next row's first unit
  Place last_{};                 // of the last row's that is no halo
  Place begin_{};
  std::uint64_t stretch_ = 0;  // rows, behind which there is a halo
  bool leaves_box_ = false;
  std::array<std::uint32_t, kMostDimensions> index_{};  // in the box
  std::uint64_t done_ = 0;                              // rows
  std::uint64_t rows_ = 0;
};

// What 128 zero bytes are to tensormap.replace, from which compilers make maps: one dimension, and
// a box and strides of one element, as to an H200 (tests/golden).
[[nodiscard]] TensorMap map_of_zeros();

// What tensormap.replace changes (PTX ISA, tensormap.replace).
enum class TensorField : std::uint8_t {
  global_address,
  rank,     // less 1
  box_dim,  // these three of one dimension, and of strides of the one above it
  global_dim,
  global_stride,
  element_stride,
  elemtype,  // these by the numbers of PTX
  interleave_layout,
  swizzle_mode,
  fill_mode,
  swizzle_atomicity,
};
// Whether the value is one that the field can have; else the map stays as it was.
[[nodiscard]] bool replace(TensorMap& map, TensorField field, std::uint32_t index,
                           std::uint64_t value);

// Why no copy can use the map; null if one can. A kernel can write any bits where a map should be,
// and tensormap.replace does not see to what goes together. All that follows takes the map for one
// without a fault.
[[nodiscard]] const char* fault_of(const TensorMap& map);

// Where a byte of a box that begins at `begin` of shared memory lies, if the map swizzles it.
[[nodiscard]] std::uint64_t swizzled(const TensorMap& map, std::uint64_t address);

// The bits of an element that lies outside the tensor.
[[nodiscard]] std::uint64_t filled(const TensorMap& map);

}  // namespace emulator::runtime
