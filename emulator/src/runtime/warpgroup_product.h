// wgmma: D = A x B + D of a warpgroup. B lies in shared memory, A there or in registers. Each warp
// computes 16 rows, which is a row of products of mma's shape: its fragments are gathered here.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

// How a factor lies in shared memory (PTX ISA, "Matrix descriptor"): in core matrices of eight rows
// of 16 bytes, whose rows follow each other `swizzle` bytes apart, or 16 where there is none.
// Offsets are bytes.
struct MatrixTile {
  std::uint32_t start = 0;
  std::uint32_t leading = 0;  // between core matrices along K; where transposed, along M or N
  std::uint32_t stride = 0;   // the other one
  std::uint32_t swizzle = 0;  // 0, 32, 64, 128
  std::uint32_t base = 0;     // where the swizzle's pattern begins, in units of 128 bytes, 0 to 7
  bool transposed = false;    // neighbours in memory are neighbours along M or N
};
[[nodiscard]] MatrixTile tile_of(std::uint64_t descriptor, bool transposed);
// Where the byte at `depth_byte` of line `line` lies: a line is a row of A or a column of B. Where
// the tile is transposed, elements have two bytes.
[[nodiscard]] std::uint32_t place_in(const MatrixTile& tile, std::uint32_t line,
                                     std::uint32_t depth_byte);

// What an instruction says beside its types and shape; as a number, compiled code hands it over.
struct ProductOptions {
  bool a_in_registers = false;
  bool transposes_a = false;
  bool transposes_b = false;
  bool negates_a = false;
  bool negates_b = false;
  bool saturates = false;
  bool sparse = false;
  std::uint32_t selector = 0;  // of a sparse one: which lanes of four hold the metadata, 0 to 3
};
[[nodiscard]] std::uint32_t number_of(const ProductOptions& options);
[[nodiscard]] ProductOptions options_of(std::uint32_t number);

struct WarpgroupProduct {
  MatrixType a{};
  MatrixType b{};
  MatrixType d{};
  std::uint32_t depth = 0;  // as written: of a sparse product twice what A holds
  bool adds = true;         // to what D holds; else to zero
  ProductOptions options;

  // Of A in a line: what its registers hold.
  [[nodiscard]] std::uint32_t stored_depth() const { return options.sparse ? depth / 2 : depth; }
};

// Columns of D that are computed at once, in groups of eight: what the warp's context has room for.
inline constexpr std::uint32_t kProductGroups = 4;

// The bytes [begin, end) of shared memory that these lines of a tile take, `depth_bytes` each, and
// perhaps others between them.
struct TileExtent {
  std::uint32_t begin;
  std::uint32_t end;
};
[[nodiscard]] TileExtent extent_of(const MatrixTile& tile, std::uint32_t first, std::uint32_t lines,
                                   std::uint32_t depth_bytes);

// Whether these lines have a byte in `bytes`.
[[nodiscard]] bool overlaps(const MatrixTile& tile, std::uint32_t first, std::uint32_t lines,
                            std::uint32_t depth_bytes, TileExtent bytes);

// The warp's registers of A, as mma.m16n8k* has them, out of shared memory: its 16 rows begin at
// `row`. Of a sparse product half the depth.
void gather_a(const WarpgroupProduct& product, const MatrixTile& tile, const std::uint8_t* shared,
              std::uint32_t row, std::uint8_t* a);
// Eight columns of D, which lie in `d` as mma's, from `column` on.
void multiply_columns(const WarpgroupProduct& product, const std::uint8_t* a,
                      const std::uint32_t* metadata, const MatrixTile& tile,
                      const std::uint8_t* shared, std::uint32_t column, std::uint8_t* d);

}  // namespace emulator::runtime
