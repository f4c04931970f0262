// An mbarrier object: what its 64 bits in shared memory mean here. PTX leaves that open.
#pragma once

#include <cstdint>
#include <optional>

namespace emulator::runtime {

// Counts of arrivals go from 1 to this, transactions from its negative to it (PTX ISA, "Contents of
// the mbarrier object").
inline constexpr std::uint64_t kMostArrivals = (1U << 20U) - 1;
inline constexpr std::int64_t kMostTransactions = (1 << 20) - 1;

// Where the count of pending arrivals lies in a state, for mbarrier.pending_count.
inline constexpr unsigned kPendingShift = 0;
inline constexpr unsigned kPendingBits = 20;

// bit 63, 62: 1, 0 in an object that was initialised, so that most other bits are noticed;
// 61: parity of the current phase; 60-40: transactions still to come, two's complement;
// 39-20: arrivals that each phase expects; 19-0: arrivals that the current phase still waits for.
class Mbarrier {
 public:
  // Null where the bits are no mbarrier.
  [[nodiscard]] static std::optional<Mbarrier> from(std::uint64_t bits);
  explicit Mbarrier(std::uint64_t expected) : expected_(expected), pending_(expected) {}
  [[nodiscard]] std::uint64_t bits() const;

  // False where the count of transactions would leave its range.
  [[nodiscard]] bool expect(std::int64_t transactions);
  // False where fewer arrivals are pending; nothing has changed then.
  [[nodiscard]] bool arrive(std::uint64_t count);
  // As arrive, and the phases to come expect fewer.
  [[nodiscard]] bool arrive_and_drop(std::uint64_t count);

  [[nodiscard]] std::uint64_t parity() const { return parity_; }

 private:
  Mbarrier() = default;
  void end_phase_when_complete();

  std::uint64_t expected_ = 0;
  std::uint64_t pending_ = 0;
  std::int64_t transactions_ = 0;
  std::uint64_t parity_ = 0;
};

}  // namespace emulator::runtime
