#include "runtime/products_under_way.h"

#include <algorithm>
#include <new>
#include <utility>

namespace emulator::runtime {

bool ProductsUnderWay::Tile::overlaps(TileExtent bytes) const {
  if (bytes.end <= extent.begin || bytes.begin >= extent.end) return false;
  return runtime::overlaps(tile, first, lines, depth_bytes, bytes);
}

void ProductsUnderWay::reset(std::uint32_t warps) {
  // Whole warpgroups.
  warps = (warps + kWarpsOfGroup - 1) / kWarpsOfGroup * kWarpsOfGroup;
  if (warps_.size() < warps) warps_.resize(warps);
  // Few kernels have any, and many have small blocks.
  if (!std::exchange(used_, false)) return;
  for (OfWarp& warp : warps_) {
    warp.committed = warp.read = 0;
    warp.products.clear();
  }
  count_ = 0;
}

bool ProductsUnderWay::begin(std::uint32_t warp, Product product) noexcept {
  OfWarp& own = warps_[warp];
  product.group = own.committed;
  try {
    own.products.push_back(product);
  } catch (const std::bad_alloc&) {
    // No exception may pass through compiled code.
    return false;
  }
  ++count_;
  used_ = true;
  return true;
}

void ProductsUnderWay::commit(std::uint32_t warp) {
  ++warps_[warp].committed;
  used_ = true;
}

std::optional<std::uint32_t> ProductsUnderWay::behind(std::uint32_t warp,
                                                      std::uint64_t pending) const {
  const std::uint32_t first = first_of_group(warp);
  for (std::uint32_t other = first; other < first + kWarpsOfGroup; ++other) {
    if (warps_[other].committed + pending < warps_[warp].committed) return other;
  }
  return std::nullopt;
}

void ProductsUnderWay::wait(std::uint32_t warp, std::uint64_t pending) {
  OfWarp& own = warps_[warp];
  count_ -= std::erase_if(own.products, [&](const Product& product) {
    return product.group + pending < own.committed;
  });
  const std::uint64_t over = own.committed - std::min(pending, own.committed);
  const std::uint32_t first = first_of_group(warp);
  for (std::uint32_t other = first; other < first + kWarpsOfGroup; ++other)
    warps_[other].read = std::max(warps_[other].read, over);
}

std::uint32_t ProductsUnderWay::reading(TileExtent bytes) const {
  for (const OfWarp& warp : warps_) {
    for (const Product& product : warp.products) {
      if (product.group < warp.read) continue;
      if (product.b.overlaps(bytes)) return product.line;
      if (product.a && product.a->overlaps(bytes)) return product.line;
    }
  }
  return 0;
}

bool ProductsUnderWay::has(std::uint32_t warp, std::uint32_t line) const {
  return std::ranges::any_of(warps_[warp].products,
                             [&](const Product& product) { return product.line == line; });
}

}  // namespace emulator::runtime
