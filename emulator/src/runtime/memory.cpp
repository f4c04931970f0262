#include "runtime/memory.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <new>
#include <utility>
#include <vector>

#include "runtime/random_bits.h"

namespace emulator::runtime {
namespace {

// Room around each allocation: an index that is off by some rows of a large matrix stays out of its
// neighbours. It costs address space alone.
constexpr std::size_t kGap = std::size_t{1} << 20;
// The same around a constant variable, of which 50,000 then fit into the GiB below 2 GiB that the
// system gives out.
constexpr std::size_t kConstantGap = std::size_t{1} << 13;
// Addresses of freed memory are not given out again until this much has been freed after it, so
// that a stale pointer faults instead of reaching a newer allocation. Address space again, of which
// there are 128 TiB; the number of entries is bounded since the system bounds a process's mappings
// (65530 by default).
constexpr std::size_t kRetiredSpan = std::size_t{1} << 40;
constexpr std::size_t kRetiredEntries = 8192;

// Constant memory has addresses of 32 bits where compilers ask for short pointers. Those beyond
// what fits there can be anywhere, as long as nobody shortens their addresses.
Reservation reserve(std::size_t bytes, AllocationKind kind) {
  if (kind != AllocationKind::constant_variable) return {bytes, kGap};
  try {
    return {bytes, kConstantGap, Reservation::Place::low};
  } catch (const std::bad_alloc&) {
    return {bytes, kConstantGap};
  }
}

}  // namespace

std::uint64_t Memory::allocate(std::size_t bytes, AllocationKind kind, std::string name) {
  if (bytes > physical_memory().available) throw std::bad_alloc();
  Reservation pages;
  try {
    pages = reserve(bytes, kind);
  } catch (const std::bad_alloc&) {
    // A limit on address space may have been reached: what is kept only to catch stale pointers
    // goes first.
    {
      const std::lock_guard lock(mutex_);
      retired_.clear();
      retired_span_ = 0;
      snapshot_.reset();
    }
    pages = reserve(bytes, kind);
  }
  const auto begin = reinterpret_cast<std::uint64_t>(pages.data());
  std::uint64_t seed = 0;
  {
    const std::lock_guard lock(mutex_);
    seed = ++seed_;
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  fill_with_random_bits(pages.data(), pages.size(), seed ^ static_cast<std::uint64_t>(now));

  const std::lock_guard lock(mutex_);
  entries_.emplace(begin, Entry{{begin, begin + bytes, kind, std::move(name)}, std::move(pages)});
  snapshot_.reset();
  return begin;
}

bool Memory::adopt(std::uint64_t address, std::size_t bytes) {
  if (address == 0 || bytes == 0 || address + bytes < address || touches(address, bytes))
    return false;
  const std::lock_guard lock(mutex_);
  entries_.emplace(address, Entry{{address, address + bytes, AllocationKind::registered_host, {}},
                                  Reservation()});
  snapshot_.reset();
  return true;
}

bool Memory::release(std::uint64_t address, AllocationKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(address);
  if (found == entries_.end() || found->second.allocation.kind != kind) return false;
  Entry entry = std::move(found->second);
  entries_.erase(found);
  snapshot_.reset();
  // There is too little room below 2 GiB to keep any of it.
  const bool low = kind == AllocationKind::constant_variable;
  if (kind != AllocationKind::registered_host && !low) retire(std::move(entry));
  return true;
}

void Memory::retire(Entry entry) {
  entry.pages.retire();
  retired_span_ += entry.pages.span();
  retired_.push_back(std::move(entry));
  while (retired_span_ > kRetiredSpan || retired_.size() > kRetiredEntries) {
    retired_span_ -= retired_.front().pages.span();
    retired_.pop_front();
  }
}

std::optional<Allocation> Memory::find(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return std::nullopt;
  const Allocation& candidate = std::prev(after)->second.allocation;
  if (address >= candidate.end) return std::nullopt;
  return candidate;
}

bool Memory::holds(std::uint64_t address, std::uint64_t bytes) const {
  const std::optional<Allocation> found = find(address);
  return found && found->end - address >= bytes;
}

bool Memory::touches(std::uint64_t address, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto overlaps = [&](const Entry& entry) {
    const bool adopted = entry.pages.data() == nullptr;
    const std::uint64_t gap = (entry.pages.span() - entry.pages.size()) / 2;
    const std::uint64_t begin = entry.allocation.begin - gap;
    const std::uint64_t end =
        adopted ? entry.allocation.end : entry.allocation.begin + entry.pages.size() + gap;
    return address < end && address + bytes > begin;
  };
  // Reservations do not overlap, so that only the neighbours on both sides can matter.
  auto after = entries_.upper_bound(address);
  if (after != entries_.begin() && overlaps(std::prev(after)->second)) return true;
  if (after != entries_.end() && overlaps(after->second)) return true;
  for (const Entry& entry : retired_) {
    if (overlaps(entry)) return true;
  }
  return false;
}

std::shared_ptr<const AddressMap> Memory::snapshot() const {
  const std::lock_guard lock(mutex_);
  if (!snapshot_) {
    std::vector<Allocation> live;
    live.reserve(entries_.size());
    for (const auto& [begin, entry] : entries_) live.push_back(entry.allocation);
    std::vector<Allocation> freed;
    freed.reserve(retired_.size());
    for (const Entry& entry : retired_) freed.push_back(entry.allocation);
    snapshot_ = std::make_shared<const AddressMap>(std::move(live), std::move(freed));
  }
  return snapshot_;
}

PhysicalMemory physical_memory() {
  struct sysinfo info{};
  sysinfo(&info);
  PhysicalMemory memory{info.totalram * info.mem_unit, info.freeram * info.mem_unit};
  // MemAvailable counts what the page cache would give up, which sysinfo does not know.
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t kilobytes = 0;
  std::string unit;
  while (file >> key >> kilobytes) {
    std::getline(file, unit);
    if (key == "MemAvailable:") {
      memory.available = kilobytes * 1024;
      break;
    }
  }
  return memory;
}

}  // namespace emulator::runtime
