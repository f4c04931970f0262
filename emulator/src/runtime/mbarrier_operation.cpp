#include "runtime/mbarrier_operation.h"

#include <cstring>

#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/mbarrier.h"

namespace emulator::runtime {
namespace {

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

[[noreturn]] void refuse(WarpContext& context, const Site& site, unsigned lane, const char* why) {
  report_text(context, FaultKind::bad_instruction, lane, site.line, why);
  context.block->abandon();
}

// Of any block of the cluster.
bool in_cluster(const WarpContext& context, const std::uint8_t* address) {
  const std::uint64_t bytes = std::uint64_t{context.cluster_size - 1} * kSharedWindow;
  return address >= context.shared && address < context.shared + bytes + context.shared_bytes;
}

}  // namespace

std::uint64_t operate_mbarrier(WarpContext& context, const Site& site, unsigned lane,
                               std::uint8_t* object, MbarrierOp operation, std::uint64_t operand) {
  if (!in_cluster(context, object)) refuse(context, site, lane, "mbarrier outside shared memory");
  std::uint64_t result = 0;
  const char* why = operate(operation, object, operand, result);
  if (why != nullptr) refuse(context, site, lane, why);
  return result;
}

void complete_transaction(WarpContext& context, std::uint32_t site, unsigned lane,
                          std::uint64_t address, std::uint64_t bytes) {
  Checker checker(context, site, sizeof(std::uint64_t));
  std::uint8_t* object = checker.check(lane, address);
  operate_mbarrier(context, checker.site(), lane, object, MbarrierOp::complete_tx, bytes);
}

}  // namespace emulator::runtime
