// The functions compiled kernels call for mbarrier, for copies in bulk, for barriers of a cluster,
// and for taking back clusters of the launch. As in entry_points.cpp, nothing in a frame that may
// abandon the block owns anything.
#include <cstring>

#include "runtime/abi.h"
#include "runtime/atomics.h"
#include "runtime/barrier_arrival.h"
#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/cluster.h"
#include "runtime/mbarrier_operation.h"

namespace emulator::runtime {
namespace {

// Sizes and addresses of copies in bulk are multiples of this.
constexpr std::uint64_t kBulkGranule = 16;

[[noreturn]] void refuse(WarpContext& context, const Site& site, unsigned lane, const char* why) {
  report_text(context, FaultKind::bad_instruction, lane, site.line, why);
  context.block->abandon();
}

void put_result(WarpContext& context, unsigned lane, std::uint64_t result) {
  std::memcpy(context.value[1] + std::size_t{lane} * sizeof result, &result, sizeof result);
}

// The blocks of a cluster run one after the other, so that one has often ended here which on a GPU
// would run for as long as the others. What arrives at its mbarriers then is of no effect.
bool comes_too_late(const WarpContext& context, const Site& site, MbarrierOp op,
                    std::uint64_t address) {
  constexpr std::uint64_t kBytes = sizeof(std::uint64_t);
  return op == MbarrierOp::arrive && address % kBytes == 0 &&
         is_of_an_ended_block(context, site, address, kBytes);
}

// Whether every lane's result is not 0.
bool operate_lanes(WarpContext& context, std::uint32_t site, std::uint32_t mask, MbarrierOp op) {
  Checker checker(context, site, sizeof(std::uint64_t));
  bool all = true;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    if (comes_too_late(context, checker.site(), op, context.address[lane])) continue;
    std::uint8_t* object = checker.check(lane, context.address[lane]);
    const std::uint64_t result = operate_mbarrier(context, checker.site(), lane, object, op,
                                                  lane_value<std::uint64_t>(context, 0, lane));
    put_result(context, lane, result);
    all = all && result != 0;
  }
  checker.finish();
  return all;
}

// Calls move(to, from, bytes) for each lane.
template <typename Move>
void for_each_bulk(WarpContext& context, std::uint32_t load_site, std::uint32_t store_site,
                   std::uint32_t mask, Move move) {
  Checker loads(context, load_site, kBulkGranule);
  Checker stores(context, store_site, kBulkGranule);
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const auto bytes = lane_value<std::uint64_t>(context, 1, lane);
    if (bytes % kBulkGranule != 0)
      refuse(context, loads.site(), lane, "copy in bulk of a size that is no multiple of 16 bytes");
    if (bytes == 0) continue;
    const std::uint8_t* from = loads.check_span(lane, context.address[lane], bytes);
    std::uint8_t* to = stores.check_span(lane, lane_value<std::uint64_t>(context, 0, lane), bytes);
    move(to, from, bytes);
  }
  loads.finish();
  stores.finish();
}

}  // namespace

extern "C" {

void emu_mbarrier(WarpContext* context, std::uint32_t site, std::uint32_t mask, std::uint32_t op) {
  const auto operation = static_cast<MbarrierOp>(op);
  const bool over = operate_lanes(*context, site, mask, operation);
  if (over || (operation != MbarrierOp::try_wait && operation != MbarrierOp::try_wait_parity))
    return;
  context->block->yield();
  operate_lanes(*context, site, mask, operation);
}

EMULATOR_KERNEL_MEMORY void emu_bulk_copy(WarpContext* context, std::uint32_t load_site,
                                          std::uint32_t store_site, std::uint32_t mask) {
  for_each_bulk(*context, load_site, store_site, mask,
                [](std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
                  std::memmove(to, from, bytes);
                });
}

EMULATOR_KERNEL_MEMORY void emu_bulk_copy_masked(WarpContext* context, std::uint32_t load_site,
                                                 std::uint32_t store_site, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    const auto wanted = lane_value<std::uint32_t>(*context, 2, lowest(mask));
    for_each_bulk(*context, load_site, store_site, mask & -mask,
                  [=](std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
                    for (std::uint64_t at = 0; at < bytes; ++at) {
                      if ((wanted >> (at % kBulkGranule) & 1U) != 0) to[at] = from[at];
                    }
                  });
  }
}

EMULATOR_KERNEL_MEMORY void emu_bulk_fill(WarpContext* context, std::uint32_t site,
                                          std::uint32_t mask) {
  constexpr std::uint64_t kFillGranule = 8;
  Checker checker(*context, site, kFillGranule);
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const auto bytes = lane_value<std::uint64_t>(*context, 0, lane);
    if (bytes % kFillGranule != 0)
      refuse(*context, checker.site(), lane, "st.bulk of a size that is no multiple of 8 bytes");
    if (bytes == 0) continue;
    std::uint8_t* to = checker.check_span(lane, context->address[lane], bytes);
    if (!in_shared(*context, to))
      refuse(*context, checker.site(), lane, "st.bulk outside the block's shared memory");
    std::memset(to, 0, bytes);
  }
  checker.finish();
}

void emu_try_cancel(WarpContext* context, std::uint32_t store_site, std::uint32_t barrier_site,
                    std::uint32_t mask, std::uint32_t multicast) {
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const std::uint64_t to = context->address[lane];
    const auto barrier = lane_value<std::uint64_t>(*context, 0, lane);
    const CancelResponse response = context->block->cluster().cancel_another();
    const auto respond = [&](std::uint64_t address, std::uint64_t at) {
      Checker stores(*context, store_site, sizeof response);
      std::memcpy(stores.check(lane, address), &response, sizeof response);
      complete_transaction(*context, barrier_site, lane, at, sizeof response);
    };
    if (multicast == 0) {
      respond(to, barrier);
      continue;
    }
    for (std::uint64_t rank = 0; rank < context->cluster_size; ++rank) {
      const std::uint64_t window = rank * kSharedWindow;
      respond(window + to % kSharedWindow, window + barrier % kSharedWindow);
    }
  }
}

EMULATOR_KERNEL_MEMORY void emu_bulk_reduce(WarpContext* context, std::uint32_t load_site,
                                            std::uint32_t atomic_site, std::uint32_t mask,
                                            std::uint32_t op, std::uint32_t type) {
  const auto operation = static_cast<AtomicOp>(op);
  const auto kind = static_cast<AtomicType>(type);
  const std::uint64_t size = bytes_of(kind);
  for_each_bulk(
      *context, load_site, atomic_site, mask,
      [=](std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
        std::uint64_t old = 0;
        for (std::uint64_t at = 0; at < bytes; at += size)
          static_cast<void>(apply_atomic(operation, kind, to + at, from + at, from + at, &old));
      });
}

EMULATOR_KERNEL_MEMORY void emu_bulk_multicast(WarpContext* context, std::uint32_t load_site,
                                               std::uint32_t store_site, std::uint32_t barrier_site,
                                               std::uint32_t mask) {
  Checker loads(*context, load_site, kBulkGranule);
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const auto to = lane_value<std::uint64_t>(*context, 0, lane);
    const auto bytes = lane_value<std::uint64_t>(*context, 1, lane);
    const auto barrier = lane_value<std::uint64_t>(*context, 2, lane);
    auto blocks = lane_value<std::uint32_t>(*context, 3, lane) & 0xFFFFU;
    if (bytes % kBulkGranule != 0)
      refuse(*context, loads.site(), lane,
             "copy in bulk of a size that is no multiple of 16 bytes");
    if (bytes == 0) continue;
    const std::uint8_t* from = loads.check_span(lane, context->address[lane], bytes);
    for (; blocks != 0; blocks &= blocks - 1) {
      const std::uint64_t window = std::uint64_t{lowest(blocks)} * kSharedWindow;
      Checker stores(*context, store_site, kBulkGranule);
      std::memmove(stores.check_span(lane, window + to % kSharedWindow, bytes), from, bytes);
      complete_transaction(*context, barrier_site, lane, window + barrier % kSharedWindow, bytes);
    }
  }
}

void emu_cluster_barrier(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                         std::uint32_t wait) {
  arrive_at_barrier(*context, mask,
                    {context->unit, kClusterBarrier, 0, line,
                     wait != 0 ? BarrierWait::cluster_wait : BarrierWait::cluster_arrive});
}

}  // extern "C"

}  // namespace emulator::runtime
