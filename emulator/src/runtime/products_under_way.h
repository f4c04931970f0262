// The products that a block's warps have begun with wgmma.mma_async and not waited for yet. Until
// then the tensor cores may be reading the tiles, and writing the accumulators.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/warpgroup_product.h"

namespace emulator::runtime {

class ProductsUnderWay {
 public:
  struct Tile {
    MatrixTile tile;
    std::uint32_t first = 0;  // line
    std::uint32_t lines = 0;
    std::uint32_t depth_bytes = 0;
    TileExtent extent;

    // Whether one of its elements lies there.
    [[nodiscard]] bool overlaps(TileExtent bytes) const;
  };
  struct Product {
    std::uint32_t line = 0;  // of the PTX
    std::uint64_t group = 0;
    Tile b{};
    std::optional<Tile> a = std::nullopt;  // none where A is in registers
  };

  void reset(std::uint32_t warps);
  [[nodiscard]] bool none() const { return count_ == 0; }
  // The group is set here.
  void begin(std::uint32_t warp, Product product) noexcept;
  void commit(std::uint32_t warp);
  // Those of all groups but the last `pending` ones are over; whether there are any.
  bool wait(std::uint32_t warp, std::uint64_t pending);
  // The line of a product that may be reading some of these bytes; 0: there is none.
  [[nodiscard]] std::uint32_t reading(TileExtent bytes) const;
  // Whether the warp's product of that line of the PTX is under way.
  [[nodiscard]] bool has(std::uint32_t warp, std::uint32_t line) const;

 private:
  struct OfWarp {
    std::uint64_t committed = 0;  // groups
    std::vector<Product> products;
  };
  std::vector<OfWarp> warps_;
  std::size_t count_ = 0;  // of all
};

}  // namespace emulator::runtime
