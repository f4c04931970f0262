#include "runtime/warpgroup_product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/matrix.h"
#include "runtime/other_product.h"
#include "runtime/sparse_product.h"

namespace emulator::runtime {
namespace {

constexpr std::uint32_t kCoreRows = 8;
constexpr std::uint32_t kCoreBytes = 16;      // of a row
constexpr std::uint32_t kPatternBytes = 128;  // after so many the pattern of a swizzle moves on
constexpr std::uint32_t kFragmentRegister = kWarpSize * sizeof(std::uint32_t);

// What a swizzle makes of an address: of its bits from 4 on so many as there are rows in its
// pattern change with those from 7 on.
std::uint32_t swizzled(const MatrixTile& tile, std::uint32_t address) {
  if (tile.swizzle == 0) return address;
  const std::uint32_t chunks = tile.swizzle / kCoreBytes;
  const std::uint32_t row = address / kPatternBytes - tile.base;
  return address ^ (row & (chunks - 1)) * kCoreBytes;
}

std::uint32_t elements_in_register(MatrixType type) { return 32 / bits_of(type); }

// The elements from `k` on of a line, as many as a register holds.
std::uint32_t word_at(const MatrixTile& tile, const std::uint8_t* shared, std::uint32_t line,
                      std::uint32_t k, MatrixType type) {
  std::uint32_t word = 0;
  if (!tile.transposed) {
    std::memcpy(&word, shared + place_in(tile, line, k * bits_of(type) / 8), sizeof word);
    return word;
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, shared + place_in(tile, line, (k + i) * sizeof half), sizeof half);
    word |= std::uint32_t{half} << (16 * i);
  }
  return word;
}

// Calls take(where it begins) for each 16 bytes of these lines, until it says no.
template <typename Take>
void for_each_chunk(const MatrixTile& tile, std::uint32_t first, std::uint32_t lines,
                    std::uint32_t depth_bytes, Take take) {
  // Those of a transposed tile hold neighbouring lines.
  const std::uint32_t lines_of_chunk = tile.transposed ? kCoreRows : 1;
  const std::uint32_t depth_of_chunk = tile.transposed ? 2 : kCoreBytes;
  for (std::uint32_t line = first; line < first + lines; line += lines_of_chunk) {
    for (std::uint32_t byte = 0; byte < depth_bytes; byte += depth_of_chunk) {
      if (!take(place_in(tile, line, byte) / kCoreBytes * kCoreBytes)) return;
    }
  }
}

// The sign of every element of a register.
std::uint32_t signs_of(MatrixType type) {
  switch (bits_of(type)) {
    case 8:
      return 0x80808080;
    case 16:
      return 0x80008000;
    default:
      return 0x80000000;
  }
}

}  // namespace

std::uint32_t number_of(const ProductOptions& options) {
  const std::array flags = {options.a_in_registers, options.transposes_a, options.transposes_b,
                            options.negates_a,      options.negates_b,    options.saturates,
                            options.sparse};
  std::uint32_t number = options.selector;
  for (const bool flag : flags) number = number << 1U | (flag ? 1U : 0U);
  return number;
}

ProductOptions options_of(std::uint32_t number) {
  ProductOptions options;
  const std::array flags = {&options.sparse,        &options.saturates,    &options.negates_b,
                            &options.negates_a,     &options.transposes_b, &options.transposes_a,
                            &options.a_in_registers};
  for (bool* flag : flags) {
    *flag = (number & 1U) != 0;
    number >>= 1U;
  }
  options.selector = number;
  return options;
}

MatrixTile tile_of(std::uint64_t descriptor, bool transposed) {
  // Lengths and addresses are in units of 16 bytes, of 14 bits each.
  const auto bytes = [descriptor](unsigned shift) {
    return static_cast<std::uint32_t>(descriptor >> shift & 0x3FFFU) * kCoreBytes;
  };
  static constexpr std::array<std::uint32_t, 4> kSwizzles = {0, 128, 64, 32};
  return {.start = bytes(0),
          .leading = bytes(16),
          .stride = bytes(32),
          .swizzle = kSwizzles.at(descriptor >> 62U),
          .base = static_cast<std::uint32_t>(descriptor >> 49U & 7U),
          .transposed = transposed};
}

std::uint32_t place_in(const MatrixTile& tile, std::uint32_t line, std::uint32_t depth_byte) {
  // Neighbours in memory make rows of so many bytes; `across` counts along them, `down` the rows.
  const std::uint32_t width = std::max(tile.swizzle, kCoreBytes);
  const std::uint32_t across = tile.transposed ? line * 2 : depth_byte;
  const std::uint32_t down = tile.transposed ? depth_byte / 2 : line;
  // Where there is no swizzle, what the two strides of a transposed tile are for changes places.
  const bool swapped = tile.transposed && tile.swizzle == 0;
  const std::uint32_t along = swapped ? tile.stride : tile.leading;
  const std::uint32_t behind = swapped ? tile.leading : tile.stride;
  return swizzled(tile, tile.start + across % width + across / width * along +
                            down % kCoreRows * width + down / kCoreRows * behind);
}

TileExtent extent_of(const MatrixTile& tile, std::uint32_t first, std::uint32_t lines,
                     std::uint32_t depth_bytes) {
  TileExtent extent = {~0U, 0};
  for_each_chunk(tile, first, lines, depth_bytes, [&](std::uint32_t begin) {
    extent.begin = std::min(extent.begin, begin);
    extent.end = std::max(extent.end, begin + kCoreBytes);
    return true;
  });
  return extent;
}

bool overlaps(const MatrixTile& tile, std::uint32_t first, std::uint32_t lines,
              std::uint32_t depth_bytes, TileExtent bytes) {
  bool found = false;
  for_each_chunk(tile, first, lines, depth_bytes, [&](std::uint32_t begin) {
    found = begin < bytes.end && bytes.begin < begin + kCoreBytes;
    return !found;
  });
  return found;
}

void gather_a(const WarpgroupProduct& product, const MatrixTile& tile, const std::uint8_t* shared,
              std::uint32_t row, std::uint8_t* a) {
  for (std::uint32_t k = 0; k < product.stored_depth(); k += elements_in_register(product.a)) {
    for (std::uint32_t r = 0; r < 16; ++r) {
      const Slot slot = slot_of_a(r, k, bits_of(product.a));
      const std::uint32_t word = word_at(tile, shared, row + r, k, product.a);
      std::memcpy(a + std::size_t{slot.reg} * kFragmentRegister + slot.lane * sizeof word, &word,
                  sizeof word);
    }
  }
}

void multiply_columns(const WarpgroupProduct& product, const std::uint8_t* a,
                      const std::uint32_t* metadata, const MatrixTile& tile,
                      const std::uint8_t* shared, std::uint32_t column, std::uint8_t* d) {
  constexpr std::size_t kMostRegisters = 4;  // of B: of a sparse product
  std::array<std::uint8_t, kMostRegisters * kFragmentRegister> b{};
  const std::uint32_t flipped =
      product.options.negates_a != product.options.negates_b ? signs_of(product.b) : 0;
  for (std::uint32_t k = 0; k < product.depth; k += elements_in_register(product.b)) {
    for (std::uint32_t c = 0; c < 8; ++c) {
      const Slot slot = slot_of_b(k, c, bits_of(product.b));
      const std::uint32_t word = word_at(tile, shared, column + c, k, product.b) ^ flipped;
      std::memcpy(b.data() + std::size_t{slot.reg} * kFragmentRegister + slot.lane * sizeof word,
                  &word, sizeof word);
    }
  }
  if (!product.adds) std::memset(d, 0, std::size_t{16} * 8 * bits_of(product.d) / 8);
  if (product.options.sparse) {
    multiply_sparse({.a = product.a,
                     .b = product.b,
                     .d = product.d,
                     .depth = product.depth,
                     .selector = product.options.selector,
                     .saturate = product.options.saturates},
                    a, b.data(), metadata, d);
  } else if (product.a == MatrixType::b1) {
    multiply({.rows = 16,
              .columns = 8,
              .depth = product.depth,
              .a = product.a,
              .b = product.b,
              .c = product.d,
              .d = product.d,
              .order = FragmentOrder::mma,
              .op = ProductOp::count_and},
             a, b.data(), d);
  } else {
    multiply({product.a, product.b, product.d, product.depth, product.options.saturates}, a,
             b.data(), d, d);
  }
}

}  // namespace emulator::runtime
