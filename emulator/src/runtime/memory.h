// The memory a context owns or knows: device allocations, page-locked host memory and module
// variables. Device memory is host memory of this process; what makes it device memory is that it
// is listed here. Safe for use by several threads at once; that nobody frees what a running kernel
// uses is left to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/abi.h"
#include "runtime/address_map.h"
#include "runtime/reservation.h"

namespace emulator::runtime {

class Memory {
 public:
  // New memory full of random-looking bits. Throws std::bad_alloc when the machine has not got that
  // much.
  [[nodiscard]] std::uint64_t allocate(std::size_t bytes, AllocationKind kind,
                                       std::string name = {});
  // Makes [address, address + bytes) of the program's own memory known. False if it overlaps what
  // is known already.
  [[nodiscard]] bool adopt(std::uint64_t address, std::size_t bytes);
  // Forgets the allocation that begins at `address` and is of that kind, and gives its pages back.
  // False if there is none.
  [[nodiscard]] bool release(std::uint64_t address, AllocationKind kind);

  [[nodiscard]] std::optional<Allocation> find(std::uint64_t address) const;
  // Whether all of [address, address + bytes) lies in one allocation.
  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const;
  // Whether a part of it lies in an allocation or in the room around one, where a host pointer
  // cannot point.
  [[nodiscard]] bool touches(std::uint64_t address, std::uint64_t bytes) const;
  // The picture of this moment; shared until something changes.
  [[nodiscard]] std::shared_ptr<const AddressMap> snapshot() const;

 private:
  struct Entry {
    Allocation allocation;
    Reservation pages;  // empty for adopted memory
  };

  void retire(Entry entry);

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Entry> entries_;  // by first address
  std::deque<Entry> retired_;               // oldest first
  std::size_t retired_span_ = 0;
  std::uint64_t seed_ = 0;
  mutable std::shared_ptr<const AddressMap> snapshot_;
};

// Bytes of memory of this machine: all, and what could be allocated now.
struct PhysicalMemory {
  std::size_t total;
  std::size_t available;
};
[[nodiscard]] PhysicalMemory physical_memory();

}  // namespace emulator::runtime
