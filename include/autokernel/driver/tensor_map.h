// Tensor maps: what the copy engine of compute capability 9.0 knows of a tensor, as kernels take
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace autokernel::driver {

// What elements a map has. The tf32 types round what is copied, the ftz types flush subnormals.
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  i32,
  u64,
  i64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz
};

// The corners of the pixels that a map in im2col mode reaches, one value for each dimension but
// the innermost and the outermost, and what a copy moves.
struct Im2col {
  std::array<std::int32_t, 3> lower{};
  std::array<std::int32_t, 3> upper{};
  std::uint32_t channels = 0;
  std::uint32_t pixels = 0;
};

// As cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col take it. Dimension 0 is the innermost.
struct TensorMapLayout {
  TensorType type = TensorType::f32;
  std::uint32_t rank = 1;
  std::array<std::uint64_t, 5> dims{};     // elements
  std::array<std::uint64_t, 4> strides{};  // bytes, of dimensions 1 and up
  std::array<std::uint32_t, 5> box{};      // elements
  std::array<std::uint32_t, 5> element_strides{1, 1, 1, 1, 1};
  std::uint32_t interleave = 0;    // bytes: 16, 32; 0: none
  std::uint32_t swizzle = 0;       // bytes: 32, 64, 128; 0: none
  std::uint32_t l2_promotion = 0;  // bytes: 64, 128, 256; 0: none
  bool fills_with_nan = false;     // instead of zeros
  std::optional<Im2col> im2col;    // instead of the box
};

// What cuTensorMapEncodeTiled takes beside the address, or cuTensorMapEncodeIm2col, as CUDA numbers
// it: whether in im2col mode, type, rank, five extents, four strides, five of the box, five element
// strides, interleave, swizzle, promotion, fill, and three lower corners. In im2col mode the box is
// the three upper corners, the channels and the pixels.
inline constexpr std::size_t kEncodingNumbers = 29;
[[nodiscard]] std::array<std::uint64_t, kEncodingNumbers> encoding_numbers(
    const TensorMapLayout& layout);

// What a kernel takes as its parameter: CUtensorMap, which some versions of CUDA align to 64 bytes.
struct alignas(128) TensorMap {
  std::array<std::byte, 128> bytes{};
};

}  // namespace autokernel::driver
