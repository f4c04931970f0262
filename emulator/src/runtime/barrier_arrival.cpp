#include "runtime/barrier_arrival.h"

#include <bit>
#include <string>

#include "runtime/block.h"
#include "runtime/checker.h"

namespace emulator::runtime {
namespace {

std::string lane_list(std::uint32_t mask) {
  std::string list;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    unsigned last = lane;
    while (last + 1 < kWarpSize && ((mask >> (last + 1)) & 1U) != 0) mask &= ~(1U << last++);
    if (!list.empty()) list += ",";
    list += std::to_string(lane);
    if (last != lane) list += "-" + std::to_string(last);
    mask = mask & ~((1U << last) - 1);
  }
  return list;
}

// bar.sync and bar.red are .aligned: all threads of a warp have to execute the same one together.
[[gnu::noinline]] void report_divergence(WarpContext& context, std::uint32_t mask, std::uint32_t id,
                                         std::uint32_t line) {
  const std::uint32_t missing = context.live & ~mask;
  context.block->progress().report(
      {.kind = FaultKind::barrier,
       .text = "divergent " + barrier_name(id) + " at " + line_name(context, line) +
               ": only lanes " + lane_list(mask) + " of warp " + std::to_string(context.warp) +
               " reach it, lanes " + lane_list(missing) + " do not; missing is " +
               thread_name(context, lowest(missing)) + " of " + block_name(context),
       .line = line,
       .thread = fault_thread(context, lowest(mask))});
}

// How many threads a unit stands for at a barrier of some of them. A warp counts whole; so do its
// threads together, the first for those that a partial warp lacks.
std::uint32_t counted_threads(const WarpContext& context) {
  const Launch& launch = context.block->launch();
  if (launch.unit == Unit::warp) return kWarpSize;
  if (context.lane != 0) return 1;
  return 1 + kWarpSize -
         static_cast<std::uint32_t>(std::popcount(live_lanes(launch.thread_count(), context.warp)));
}

}  // namespace

std::uint32_t arrive_at_barrier(WarpContext& context, std::uint32_t mask, const Arrival& arrival) {
  Block& block = *context.block;
  if (block.progress().stopped()) block.abandon();
  if (mask != context.live) {
    report_divergence(context, mask, arrival.id, arrival.line);
    block.abandon();
  }
  Arrival counted = arrival;
  counted.counts = counted_threads(context);
  return block.wait(context, counted);
}

}  // namespace emulator::runtime
