#include "runtime/address_map.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/fault.h"

namespace emulator::runtime {
namespace {

// The last one that begins at or before `address`, or the end.
std::vector<Allocation>::const_iterator last_before(const std::vector<Allocation>& sorted,
                                                    std::uint64_t address) {
  const auto after = std::ranges::upper_bound(sorted, address, {}, &Allocation::begin);
  return after == sorted.begin() ? sorted.end() : std::prev(after);
}

std::string named(const Allocation& allocation) {
  const std::string bytes = std::to_string(allocation.bytes());
  if (!allocation.name.empty()) return "variable " + allocation.name + " of " + bytes + " bytes";
  switch (allocation.kind) {
    case AllocationKind::host:
      return "a " + bytes + "-byte allocation of host memory";
    case AllocationKind::registered_host:
      return "a " + bytes + "-byte registered host buffer";
    default:
      return "a " + bytes + "-byte allocation";
  }
}

// Farther away than this, the nearest allocation explains nothing.
constexpr std::uint64_t kNear = std::uint64_t{1} << 32;

}  // namespace

AddressMap::AddressMap(std::vector<Allocation> live, std::vector<Allocation> freed)
    : live_(std::move(live)), freed_(std::move(freed)) {
  std::ranges::sort(live_, {}, &Allocation::begin);
  std::ranges::sort(freed_, {}, &Allocation::begin);
}

const Allocation* AddressMap::find(std::uint64_t address) const noexcept {
  const auto found = last_before(live_, address);
  return found != live_.end() && address < found->end ? &*found : nullptr;
}

const Allocation* AddressMap::find(std::uint64_t address, std::uint64_t bytes) const noexcept {
  const Allocation* found = find(address);
  return found != nullptr && found->end - address >= bytes ? found : nullptr;
}

bool AddressMap::was_freed(std::uint64_t address) const noexcept {
  const auto freed = last_before(freed_, address);
  return freed != freed_.end() && address < freed->end;
}

const Allocation* AddressMap::nearest(std::uint64_t address) const noexcept {
  if (const Allocation* inside = find(address)) return inside;
  if (was_freed(address) || address < kNullPage) return nullptr;
  const auto before = last_before(live_, address);
  const auto after = before == live_.end() ? live_.begin() : std::next(before);
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t past = before == live_.end() ? kNone : address - before->end;
  const std::uint64_t ahead = after == live_.end() ? kNone : after->begin - address;
  if (std::min(past, ahead) > kNear) return nullptr;
  return past <= ahead ? &*before : &*after;
}

std::string AddressMap::locate(std::uint64_t address, std::uint64_t bytes) const {
  if (const Allocation* inside = find(address)) {
    const std::uint64_t room = inside->end - address;
    if (room >= bytes) return "inside " + named(*inside);
    return "of which " + counted_bytes(bytes - room) + " lie past the end of " + named(*inside);
  }
  if (was_freed(address)) {
    const auto freed = last_before(freed_, address);
    return counted_bytes(address - freed->begin) + " into " + named(*freed) +
           " that has been freed";
  }
  if (address < kNullPage) return "a null pointer or an index to one";
  const Allocation* near = nearest(address);
  if (near == nullptr) return "near no allocation";
  if (address < near->begin) {
    return counted_bytes(near->begin - address) + " before the start of " + named(*near);
  }
  if (address == near->end) return "right behind the end of " + named(*near);
  return counted_bytes(address - near->end) + " past the end of " + named(*near);
}

}  // namespace emulator::runtime
