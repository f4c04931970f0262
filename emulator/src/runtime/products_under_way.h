// The products that a block's warps have begun with wgmma.mma_async and not waited for yet. Until
// then the tensor cores may be reading the tiles, and writing the accumulators. A product is that
// of a whole warpgroup: once one of its warps has waited for it, no tile is read any more, but each
// warp has to wait itself before it touches its accumulators, as on an H200.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/warpgroup_product.h"

namespace emulator::runtime {

class ProductsUnderWay {
 public:
  // A warpgroup is so many warps, the first of which is a multiple of it.
  static constexpr std::uint32_t kWarpsOfGroup = 4;
  [[nodiscard]] static constexpr std::uint32_t first_of_group(std::uint32_t warp) {
    return warp / kWarpsOfGroup * kWarpsOfGroup;
  }

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

  // A block of so many warps begins.
  void reset(std::uint32_t warps);
  [[nodiscard]] bool none() const { return count_ == 0; }
  // The group is set here. False where no memory is left for it.
  [[nodiscard]] bool begin(std::uint32_t warp, Product product) noexcept;
  void commit(std::uint32_t warp);
  // The warp of the same warpgroup that has not committed yet what this one is to wait for: all its
  // groups but the last `pending` ones.
  [[nodiscard]] std::optional<std::uint32_t> behind(std::uint32_t warp,
                                                    std::uint64_t pending) const;
  // Those are over; nobody is behind.
  void wait(std::uint32_t warp, std::uint64_t pending);
  // The line of a product that may be reading some of these bytes; 0: there is none.
  [[nodiscard]] std::uint32_t reading(TileExtent bytes) const;
  // Whether the warp's product of that line of the PTX is under way.
  [[nodiscard]] bool has(std::uint32_t warp, std::uint32_t line) const;

 private:
  struct OfWarp {
    std::uint64_t committed = 0;  // groups
    std::uint64_t read = 0;       // of the first so many ones no tile is read any more
    std::vector<Product> products;
  };
  std::vector<OfWarp> warps_;
  std::size_t count_ = 0;  // of all
  bool used_ = false;      // since the block began
};

}  // namespace emulator::runtime
