// The functions compiled kernels call for mbarrier, for copies in bulk, and for barriers of a
// cluster. As in entry_points.cpp, nothing in a frame that may abandon the block owns anything.
#include <cstring>

#include "runtime/abi.h"
#include "runtime/atomics.h"
#include "runtime/barrier_arrival.h"
#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/mbarrier.h"

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

// Why a lane's operation cannot be carried out; null where it was. Its result, if it has one, is in
// `result`.
const char* operate(MbarrierOp op, std::uint8_t* object, std::uint64_t operand,
                    std::uint64_t& result) {
  std::uint64_t bits = 0;
  if (op == MbarrierOp::init) {
    if (operand == 0 || operand > kMostArrivals) return "mbarrier count that is not 1 to 1048575";
    bits = Mbarrier(operand).bits();
    std::memcpy(object, &bits, sizeof bits);
    return nullptr;
  }
  std::memcpy(&bits, object, sizeof bits);
  auto barrier = Mbarrier::from(bits);
  if (!barrier) return "mbarrier that is not initialised";
  result = bits;
  const auto transactions = static_cast<std::int64_t>(operand & 0xFFFFFFFFU);
  const bool few = transactions <= kMostTransactions;
  switch (op) {
    case MbarrierOp::expect_tx:
    case MbarrierOp::complete_tx:
      if (!few || !barrier->expect(op == MbarrierOp::expect_tx ? transactions : -transactions))
        return "mbarrier transactions beyond 1048575 bytes";
      break;
    case MbarrierOp::arrive:
      if (!barrier->arrive(operand)) return "mbarrier arrival that its phase does not expect";
      break;
    case MbarrierOp::arrive_drop:
      if (!barrier->arrive_and_drop(operand))
        return "mbarrier arrival that its phase does not expect";
      break;
    case MbarrierOp::test_wait:
    case MbarrierOp::try_wait: {
      const auto state = Mbarrier::from(operand);
      if (!state) return "mbarrier state that no arrival gave";
      result = state->parity() != barrier->parity() ? 1 : 0;
      return nullptr;
    }
    case MbarrierOp::test_wait_parity:
    case MbarrierOp::try_wait_parity:
      result = (operand & 1U) != barrier->parity() ? 1 : 0;
      return nullptr;
    case MbarrierOp::inval:
      bits = 0;
      std::memcpy(object, &bits, sizeof bits);
      return nullptr;
    case MbarrierOp::init:
      break;
  }
  bits = barrier->bits();
  std::memcpy(object, &bits, sizeof bits);
  return nullptr;
}

// Whether every lane's result is not 0.
bool operate_lanes(WarpContext& context, std::uint32_t site, std::uint32_t mask, MbarrierOp op) {
  Checker checker(context, site, sizeof(std::uint64_t));
  bool all = true;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    std::uint8_t* object = checker.check(lane, context.address[lane]);
    if (!in_shared(context, object))
      refuse(context, checker.site(), lane, "mbarrier outside shared memory");
    std::uint64_t result = 0;
    const char* why = operate(op, object, lane_value<std::uint64_t>(context, 0, lane), result);
    if (why != nullptr) refuse(context, checker.site(), lane, why);
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

void emu_cluster_barrier(WarpContext* context, std::uint32_t mask, std::uint32_t line,
                         std::uint32_t wait) {
  arrive_at_barrier(*context, mask,
                    {context->unit, kClusterBarrier, 0, line,
                     wait != 0 ? BarrierWait::cluster_wait : BarrierWait::cluster_arrive});
}

}  // extern "C"

}  // namespace emulator::runtime
