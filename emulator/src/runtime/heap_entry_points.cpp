// malloc and free of compiled kernels. As in entry_points.cpp, nothing in a frame that may abandon
// the block owns anything.
#include <cstring>
#include <string>

#include "runtime/abi.h"
#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/device_heap.h"

namespace emulator::runtime {
namespace {

void report_free(WarpContext& context, unsigned lane, std::uint32_t line, std::uint64_t address) {
  const Launch& launch = context.block->launch();
  const bool in_heap = launch.heap != nullptr && launch.heap->contains(address);
  const std::string where =
      in_heap ? launch.heap->locate(address, 1) : launch.addresses->locate(address, 1);
  context.block->progress().report({.kind = FaultKind::out_of_bounds,
                                    .text = "free of " + hex(address) +
                                            ", where no block of malloc begins (" + where + ")" +
                                            by_thread(context, lane, line),
                                    .line = line,
                                    .thread = fault_thread(context, lane)});
}

// False after a fault has been reported.
bool free_lanes(WarpContext& context, std::uint32_t mask, std::uint32_t line) {
  DeviceHeap* const heap = context.block->launch().heap;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const std::uint64_t address = context.address[lane];
    if (address == 0 || (heap != nullptr && heap->release(address))) continue;
    report_free(context, lane, line, address);
    return false;
  }
  return true;
}

}  // namespace

extern "C" {

void emu_malloc(WarpContext* context, std::uint32_t mask) {
  if (context->block->progress().stopped()) context->block->abandon();
  DeviceHeap* const heap = context->block->launch().heap;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const std::uint64_t address = heap == nullptr ? 0 : heap->allocate(context->address[lane]);
    std::memcpy(context->value[0] + lane * sizeof address, &address, sizeof address);
  }
}

void emu_free(WarpContext* context, std::uint32_t mask, std::uint32_t line) {
  if (context->block->progress().stopped()) context->block->abandon();
  if (!free_lanes(*context, mask, line)) context->block->abandon();
}

}  // extern "C"

}  // namespace emulator::runtime
