// wgmma of compiled kernels. As in entry_points.cpp, nothing in a frame that may abandon the block
// owns anything.
#include <algorithm>
#include <cstring>

#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/matrix_lanes.h"
#include "runtime/products_under_way.h"
#include "runtime/warpgroup_product.h"

namespace emulator::runtime {
namespace {

constexpr std::uint32_t kWarpsOfGroup = ProductsUnderWay::kWarpsOfGroup;
constexpr std::uint32_t kRowsOfWarp = 16;

// Where lowering leaves what the lanes bring.
constexpr unsigned kAreaOfA = 4;
constexpr unsigned kAreaOfDescriptors = 5;
constexpr unsigned kAreaOfMetadata = 6;

WarpgroupProduct product_of(std::uint32_t types, std::uint32_t depth, std::uint32_t how,
                            std::uint32_t adds) {
  const auto type = [types](unsigned index) {
    return static_cast<MatrixType>((types >> (8 * index)) & 0xFFU);
  };
  return {.a = type(0),
          .b = type(1),
          .d = type(2),
          .depth = depth,
          .adds = adds != 0,
          .options = options_of(how)};
}

// The descriptor of A or of B, which is lane 0's.
std::uint64_t descriptor(const WarpContext& context, unsigned factor, unsigned lane = 0) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, context.value[kAreaOfDescriptors] + (factor * kWarpSize + lane) * sizeof bits,
              sizeof bits);
  return bits;
}

MatrixTile tile_of_a(const WarpContext& context, const WarpgroupProduct& product) {
  return tile_of(descriptor(context, 0), product.options.transposes_a);
}
MatrixTile tile_of_b(const WarpContext& context, const WarpgroupProduct& product) {
  return tile_of(descriptor(context, 1), product.options.transposes_b);
}

[[noreturn]] void refuse(WarpContext& context, const Site& site, const char* why) {
  report_text(context, FaultKind::bad_instruction, 0, site.line, why);
  context.block->abandon();
}

void require_one_descriptor(WarpContext& context, const Site& site, unsigned factor) {
  for (unsigned lane = 1; lane < kWarpSize; ++lane) {
    if (descriptor(context, factor, lane) != descriptor(context, factor))
      refuse(context, site, "wgmma whose matrix descriptor is not the same in all lanes");
  }
}

ProductsUnderWay::Tile tile_in(const MatrixTile& tile, std::uint32_t first, std::uint32_t lines,
                               std::uint32_t depth_bytes) {
  return {.tile = tile,
          .first = first,
          .lines = lines,
          .depth_bytes = depth_bytes,
          .extent = extent_of(tile, first, lines, depth_bytes)};
}

void require_inside(WarpContext& context, const Site& site, const ProductsUnderWay::Tile& tile) {
  if (tile.extent.end <= context.shared_bytes) return;
  fault_access(context, site, 0, own_window(context).begin + tile.extent.begin,
               tile.extent.end - tile.extent.begin, 1);
}

}  // namespace

extern "C" {

void emu_wgmma_begin(WarpContext* context, std::uint32_t site_index, std::uint32_t mask,
                     std::uint32_t types, std::uint32_t shape, std::uint32_t how,
                     std::uint32_t adds) {
  const Site& site = context->block->launch().sites[site_index];
  require_all_lanes(*context, mask, site.line);
  const std::uint32_t warps = context->block->launch().warp_count();
  if (ProductsUnderWay::first_of_group(context->warp) + kWarpsOfGroup > warps)
    refuse(*context, site, "wgmma of a warp that is in no warpgroup of four");
  if (adds != 0 && adds != ~0U)
    refuse(*context, site, "wgmma whose scale-d is not the same in all lanes");
  const std::uint32_t columns = shape & 0xFFFFU;
  const WarpgroupProduct product = product_of(types, shape >> 16U, how, adds);
  const auto bytes = [&](std::uint32_t depth, MatrixType type) {
    return depth * bits_of(type) / 8;
  };
  require_one_descriptor(*context, site, 1);
  ProductsUnderWay::Product under_way = {
      .line = site.line,
      .b = tile_in(tile_of_b(*context, product), 0, columns, bytes(product.depth, product.b))};
  require_inside(*context, site, under_way.b);
  if (!product.options.a_in_registers) {
    require_one_descriptor(*context, site, 0);
    under_way.a = tile_in(tile_of_a(*context, product), context->warp % kWarpsOfGroup * kRowsOfWarp,
                          kRowsOfWarp, bytes(product.stored_depth(), product.a));
    require_inside(*context, site, *under_way.a);
  }
  if (!context->block->products().begin(context->warp, under_way))
    refuse(*context, site, "wgmma that finds no memory left: too many products are under way");
}

EMULATOR_KERNEL_MEMORY void emu_wgmma(WarpContext* context, std::uint32_t types,
                                      std::uint32_t columns, std::uint32_t depth, std::uint32_t how,
                                      std::uint32_t adds) {
  const WarpgroupProduct product = product_of(types, depth, how, adds);
  const std::uint32_t first = columns & 0xFFFFU;
  const std::uint32_t groups = columns >> 16U;
  std::uint32_t metadata[kWarpSize];
  std::memcpy(metadata, context->value[kAreaOfMetadata], sizeof metadata);
  if (!product.options.a_in_registers) {
    gather_a(product, tile_of_a(*context, product), own_shared(*context),
             context->warp % kWarpsOfGroup * kRowsOfWarp, context->value[kAreaOfA]);
  }
  const MatrixTile b = tile_of_b(*context, product);
  for (std::uint32_t group = 0; group < groups; ++group) {
    multiply_columns(product, context->value[kAreaOfA], metadata, b, own_shared(*context),
                     first + group * 8, context->value[group]);
  }
}

void emu_wgmma_commit(WarpContext* context, std::uint32_t mask, std::uint32_t line) {
  require_all_lanes(*context, mask, line);
  context->block->products().commit(context->warp);
}

void emu_wgmma_wait(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                    std::uint32_t pending) {
  require_all_lanes(*context, mask, line);
  ProductsUnderWay& products = context->block->products();
  if (products.none()) return;
  // What the warpgroup multiplies is over when all its warps have begun it.
  while (const auto other = products.behind(context->warp, pending)) {
    if (context->block->warp_has_ended(*other)) {
      report_text(*context, FaultKind::bad_instruction, 0, line,
                  "wgmma.wait_group for products that another warp of the warpgroup has ended "
                  "without");
      context->block->abandon();
    }
    context->block->yield();
  }
  // Until here the others may do what they must not: they get their turn.
  context->block->yield();
  products.wait(context->warp, pending);
}

void emu_registers(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                   std::uint32_t at_entry, std::uint32_t count, std::uint32_t takes) {
  require_all_lanes(*context, mask, line);
  RegisterPool& pool = context->block->registers();
  auto outcome = takes == 0 ? pool.give_up(context->warp, at_entry, count)
                            : pool.take(context->warp, at_entry, count);
  while (outcome == RegisterPool::Outcome::short_of) {
    context->block->yield();
    outcome = pool.take(context->warp, at_entry, count);
  }
  if (outcome == RegisterPool::Outcome::done) return;
  report_text(*context, FaultKind::bad_instruction, 0, line,
              takes == 0 ? "setmaxnreg.dec to more registers than the warp has"
                         : "setmaxnreg.inc to fewer registers than the warp has");
  context->block->abandon();
}

void emu_wgmma_touch(WarpContext* context, std::uint32_t line, std::uint32_t product_line) {
  if (!context->block->products().has(context->warp, product_line)) return;
  report_under_way(*context, line, product_line);
  context->block->abandon();
}

}  // extern "C"

}  // namespace emulator::runtime
