#include "runtime/matrix_lanes.h"

#include <string>

#include "runtime/block.h"
#include "runtime/checker.h"

namespace emulator::runtime {
namespace {

[[gnu::noinline]] void report_absent(WarpContext& context, std::uint32_t mask, std::uint32_t line) {
  const std::uint32_t missing = ~mask;
  context.block->progress().report(
      {.kind = FaultKind::bad_instruction,
       .text = "a matrix instruction at " + line_name(context, line) + " is run by lane " +
               std::to_string(lowest(mask)) + " of warp " + std::to_string(context.warp) +
               " and not by lane " + std::to_string(lowest(missing)) + ", of " +
               block_name(context) + "; all 32 have to run it together",
       .line = line,
       .thread = fault_thread(context, lowest(mask))});
}

}  // namespace

void require_all_lanes(WarpContext& context, std::uint32_t mask, std::uint32_t line) {
  if (context.block->progress().stopped()) context.block->abandon();
  if (mask == ~0U) return;
  report_absent(context, mask, line);
  context.block->abandon();
}

[[gnu::noinline]] void report_under_way(WarpContext& context, std::uint32_t line,
                                        std::uint32_t product_line) {
  context.block->progress().report(
      {.kind = FaultKind::bad_instruction,
       .text = "a register of the wgmma at " + line_name(context, product_line) +
               ", which is still under way, is used at " + line_name(context, line) + " by warp " +
               std::to_string(context.warp) + " of " + block_name(context) +
               "; wgmma.wait_group has to come first",
       .line = line,
       .thread = fault_thread(context, 0)});
}

}  // namespace emulator::runtime
