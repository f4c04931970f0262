#include "runtime/mbarrier.h"

namespace emulator::runtime {
namespace {

constexpr unsigned kExpectedShift = 20;
constexpr unsigned kTransactionsShift = 40;
constexpr unsigned kTransactionsBits = 21;
constexpr unsigned kParityShift = 61;
constexpr unsigned kMarkShift = 62;
constexpr std::uint64_t kMark = 2;

std::uint64_t field(std::uint64_t bits, unsigned shift, unsigned width) {
  return (bits >> shift) & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

std::optional<Mbarrier> Mbarrier::from(std::uint64_t bits) {
  if (bits >> kMarkShift != kMark) return std::nullopt;
  Mbarrier barrier;
  barrier.pending_ = field(bits, kPendingShift, kPendingBits);
  barrier.expected_ = field(bits, kExpectedShift, kPendingBits);
  barrier.parity_ = field(bits, kParityShift, 1);
  const auto transactions =
      static_cast<std::int64_t>(field(bits, kTransactionsShift, kTransactionsBits));
  const std::int64_t beyond = std::int64_t{1} << kTransactionsBits;
  barrier.transactions_ = transactions >= beyond / 2 ? transactions - beyond : transactions;
  return barrier;
}

std::uint64_t Mbarrier::bits() const {
  const std::uint64_t transactions =
      field(static_cast<std::uint64_t>(transactions_), 0, kTransactionsBits);
  return pending_ << kPendingShift | expected_ << kExpectedShift |
         transactions << kTransactionsShift | parity_ << kParityShift | kMark << kMarkShift;
}

bool Mbarrier::expect(std::int64_t transactions) {
  const std::int64_t sum = transactions_ + transactions;
  if (sum > kMostTransactions || sum < -kMostTransactions) return false;
  transactions_ = sum;
  end_phase_when_complete();
  return true;
}

bool Mbarrier::arrive(std::uint64_t count) {
  if (count == 0 || count > pending_) return false;
  pending_ -= count;
  end_phase_when_complete();
  return true;
}

bool Mbarrier::arrive_and_drop(std::uint64_t count) {
  if (count == 0 || count > pending_) return false;
  expected_ -= count;
  pending_ -= count;
  end_phase_when_complete();
  return true;
}

// A phase is over when nobody is still to arrive and no transaction is still to come.
void Mbarrier::end_phase_when_complete() {
  if (pending_ != 0 || transactions_ != 0) return;
  parity_ ^= 1U;
  pending_ = expected_;
}

}  // namespace emulator::runtime
