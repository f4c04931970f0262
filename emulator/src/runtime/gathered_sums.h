// Atomic additions to global memory whose old values nobody reads, gathered by a worker and carried
// out later, several as one: a histogram's blocks would otherwise take each cache line from each
// other's worker with every sample. Relaxed operations allow it as long as a thread finds what it
// has added itself, what another of its block added before a barrier, and in the end what all have.
// So a block whose other accesses reach memory that it has added to ends it (Block::touch), and a
// worker empties its table when a block has to wait, and when it is done. Kernels that order their
// accesses for other blocks have none (lower/inline_atomic.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator::runtime {

class GatheredSums {
 public:
  // So many bins of a histogram, at most; the table is 16 KiB, half of a small level-1 cache.
  static constexpr std::size_t kEntries = 1024;
  struct Entry {
    std::uint64_t address;  // 0 where there is none
    std::uint64_t sum;
  };
  // Entry i of the table has addresses kBytesPerIndex * i, modulo its length.
  static constexpr std::size_t kBytesPerIndex = sizeof(std::uint32_t);

  // Empty, and open for additions of any size, or for none.
  void begin(bool open);
  // From now on for additions of `bytes` bytes each, 4 or 8; false where it is not open for these.
  bool open_for(std::uint32_t bytes);
  // For them now.
  [[nodiscard]] bool takes(std::uint32_t bytes) const { return bytes_ == bytes; }
  // One that compiled code has found no entry for. Takes another's, and ends it all where that is
  // what mostly happens.
  void add(std::uint64_t address, std::uint64_t addend);
  // Carries out what is in the table.
  void flush();
  // The same, and takes no more until begin().
  void stop();

  // For compiled code, which adds to entries that are there: whether it may, and how many
  // instructions of a warp have.
  static constexpr std::size_t bytes_offset() { return offsetof(GatheredSums, bytes_); }
  static constexpr std::size_t warps_offset() { return offsetof(GatheredSums, warps_); }
  static constexpr std::size_t entries_offset() { return offsetof(GatheredSums, entries_); }

 private:
  void carry_out(const Entry& entry) const;

  std::uint64_t bytes_ = 0;  // of an addition; 0 where it takes none
  std::uint64_t warps_ = 0;
  std::uint64_t misses_ = 0;
  bool open_ = false;
  bool empty_ = true;
  alignas(64) Entry entries_[kEntries] = {};
};

}  // namespace emulator::runtime
