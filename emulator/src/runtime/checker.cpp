#include "runtime/checker.h"

#include <string>

#include "runtime/cluster.h"

namespace emulator::runtime {

// Not inlined anywhere: the strings must be gone before the block is abandoned.
[[gnu::noinline]] void report_access(WarpContext& context, const Site& site, unsigned lane,
                                     std::uint64_t address, std::uint64_t bytes,
                                     std::uint64_t alignment) {
  context.block->progress().report(access_fault(context, site, lane, address, bytes, alignment));
}

[[gnu::noinline]] void report_text(WarpContext& context, FaultKind kind, unsigned lane,
                                   std::uint32_t line, const char* what) {
  context.block->progress().report({.kind = kind,
                                    .text = what + by_thread(context, lane, line),
                                    .line = line,
                                    .thread = fault_thread(context, lane)});
}

void fault_access(WarpContext& context, const Site& site, unsigned lane, std::uint64_t address,
                  std::uint64_t bytes, std::uint64_t alignment) {
  report_access(context, site, lane, address, bytes, alignment);
  context.block->abandon();
}

namespace {

[[gnu::noinline]] void report_read(WarpContext& context, const Site& site, unsigned lane,
                                   std::uint32_t product_line) {
  context.block->progress().report(
      {.kind = FaultKind::bad_instruction,
       .text = std::string("shared memory is overwritten that the wgmma at ") +
               line_name(context, product_line) +
               ", which is still under way, may be reading; wgmma.wait_group has to come first" +
               by_thread(context, lane, site.line),
       .line = site.line,
       .thread = fault_thread(context, lane)});
}

}  // namespace

void require_not_read(WarpContext& context, const Site& site, unsigned lane,
                      const std::uint8_t* address, std::uint64_t length) {
  if (address < context.shared) return;
  const auto distance = static_cast<std::uint64_t>(address - context.shared);
  const std::uint64_t rank = distance / kSharedWindow;
  if (rank >= context.cluster_size) return;
  const auto begin = static_cast<std::uint32_t>(distance % kSharedWindow);
  ProductsUnderWay& products =
      context.block->cluster().block(static_cast<std::uint32_t>(rank)).products();
  const std::uint32_t line = products.reading({begin, begin + static_cast<std::uint32_t>(length)});
  if (line == 0) return;
  report_read(context, site, lane, line);
  context.block->abandon();
}

}  // namespace emulator::runtime
