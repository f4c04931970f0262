// Which addresses a kernel may use: an immutable, sorted picture of the allocations at one moment.
// A launch holds the picture taken when it began, so that looking up an address takes no lock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emulator::runtime {

// A pointer this small was null before an index was added.
inline constexpr std::uint64_t kNullPage = 65536;

enum class AllocationKind : std::uint8_t {
  device,             // cuMemAlloc
  managed,            // of the device, and used by the host as well
  host,               // page-locked host memory, allocated by the driver
  registered_host,    // the program's own memory, registered
  global_variable,    // a .global variable of a module
  constant_variable,  // a .const variable of a module: kernels may not write it
};

struct Allocation {
  std::uint64_t begin;
  std::uint64_t end;
  AllocationKind kind;
  std::string name;  // of a variable; else empty

  [[nodiscard]] std::uint64_t bytes() const noexcept { return end - begin; }
  [[nodiscard]] bool is_host() const noexcept {
    return kind == AllocationKind::host || kind == AllocationKind::registered_host;
  }
};

class AddressMap {
 public:
  AddressMap() = default;
  // `live` and `freed` need not be sorted; those of `live` do not overlap.
  AddressMap(std::vector<Allocation> live, std::vector<Allocation> freed);

  // The allocation that holds `address`; null where there is none. Valid as long as the map.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const noexcept;
  // The allocation that holds all of [address, address + bytes); null where there is none.
  [[nodiscard]] const Allocation* find(std::uint64_t address, std::uint64_t bytes) const noexcept;
  // The one that holds `address`, or else the nearest that does not lie far away; null where it was
  // freed, is null, or is near none.
  [[nodiscard]] const Allocation* nearest(std::uint64_t address) const noexcept;
  // Says in words where [address, address + bytes), which lies in no allocation as a whole, is: "2
  // bytes past the end of a 4096-byte allocation".
  [[nodiscard]] std::string locate(std::uint64_t address, std::uint64_t bytes) const;

 private:
  [[nodiscard]] bool was_freed(std::uint64_t address) const noexcept;

  std::vector<Allocation> live_;
  std::vector<Allocation> freed_;
};

}  // namespace emulator::runtime
