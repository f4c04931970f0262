// The memory that kernels take with malloc and new. It belongs to the context: a block stays until
// some thread of some launch frees it. Safe for use by several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/abi.h"
#include "runtime/reservation.h"

namespace emulator::runtime {

class DeviceHeap {
 public:
  // What CUDA promises of an address that malloc gives.
  static constexpr std::uint64_t kAlignment = 16;

  // Takes address space; memory of the machine is taken where blocks are used. Throws
  // std::bad_alloc.
  explicit DeviceHeap(std::size_t bytes);

  // The address of a new block full of random-looking bits, or 0 where no room is left. A block
  // takes whole pieces of kAlignment bytes and one more, which nobody may touch, so that it is
  // noticed when a thread runs off its end.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  // Takes back the block that begins there. Memory is not given out again before the rest of the
  // heap has been, so that a stale pointer is likely to be noticed. False where no block begins.
  [[nodiscard]] bool release(std::uint64_t address);

  [[nodiscard]] bool contains(std::uint64_t address) const noexcept {
    return address - begin() < pieces_ * kAlignment;
  }
  // The block that holds the address, of those not freed; empty where there is none. Takes no lock:
  // what it says of a block that another thread is just taking or freeing may be either.
  [[nodiscard]] Range block_at(std::uint64_t address) const noexcept;
  // Says in words where [address, address + bytes), which begins in the heap, is: "4 bytes past the
  // end of a 40-byte block of the device heap".
  [[nodiscard]] std::string locate(std::uint64_t address, std::uint64_t bytes) const;

 private:
  // Pieces of the heap, by number.
  struct Extent {
    std::uint32_t first;
    std::uint32_t count;
  };
  // A block, as it is written down at its first piece.
  struct Block {
    std::uint64_t bytes;
    bool live;
  };

  [[nodiscard]] std::uint64_t begin() const noexcept {
    return reinterpret_cast<std::uint64_t>(pages_.data());
  }
  [[nodiscard]] std::uint64_t address_of(std::uint32_t piece) const noexcept {
    return begin() + std::uint64_t{piece} * kAlignment;
  }
  [[nodiscard]] std::uint32_t piece_at(std::uint64_t address) const noexcept {
    return static_cast<std::uint32_t>((address - begin()) / kAlignment);
  }

  // What the tables say. They are read without the lock that those who write them hold.
  [[nodiscard]] std::uint32_t owner(std::uint32_t piece) const noexcept;
  void set_owner(std::uint32_t piece, std::uint32_t owner) noexcept;
  [[nodiscard]] Block block(std::uint32_t first) const noexcept;
  void set_block(std::uint32_t first, Block block) noexcept;

  // The first of so many free pieces. With the lock held, as the others.
  [[nodiscard]] std::optional<std::uint32_t> take(std::uint32_t count);
  [[nodiscard]] bool has_room(std::uint32_t count) const;
  void add_free(Extent extent);
  void erase_free(std::map<std::uint32_t, std::uint32_t>::iterator extent);

  std::uint64_t pieces_;
  Reservation pages_;
  Reservation owners_;  // 32 bits per piece: 1 + the first piece of its block; 0: of none so far
  Reservation blocks_;  // 64 bits per piece: 2 * bytes + whether it is live
  std::mutex mutex_;
  std::map<std::uint32_t, std::uint32_t> free_;  // first piece -> count; no two are neighbours
  std::set<std::pair<std::uint32_t, std::uint32_t>> free_by_count_;  // count, first piece
  std::vector<Extent> retired_;                                      // freed since there was room
  std::uint64_t seed_ = 0;
};

}  // namespace emulator::runtime
