#include "runtime/device_heap.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <utility>

#include "runtime/fault.h"
#include "runtime/host_pointer.h"
#include "runtime/random_bits.h"

namespace emulator::runtime {
namespace {

// As around other allocations (memory.cpp).
constexpr std::size_t kHeapGap = std::size_t{1} << 20;
// Of a block, behind its own; nobody may touch it.
constexpr std::uint32_t kPiecesBetween = 1;
// An owner is a number of 32 bits, and 0 means none.
constexpr std::size_t kMostPieces = std::numeric_limits<std::uint32_t>::max() - 1;

// How far from a block an address may be to be thought of as having run off it.
constexpr std::uint32_t kNearPieces = 4096;

// Of a block of so many bytes.
std::uint64_t own_pieces(std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = DeviceHeap::kAlignment;
  return std::max<std::uint64_t>((bytes + kPiece - 1) / kPiece, 1);
}

template <typename T>
std::atomic_ref<T> entry(const Reservation& table, std::uint32_t index) {
  return std::atomic_ref<T>(reinterpret_cast<T*>(table.data())[index]);
}

}  // namespace

// The tables have guards only because there is no empty reservation.
DeviceHeap::DeviceHeap(std::size_t bytes)
    : pieces_(std::min(bytes / kAlignment, kMostPieces)),
      pages_(pieces_ * kAlignment, kHeapGap),
      owners_(pieces_ * sizeof(std::uint32_t), 1),
      blocks_(pieces_ * sizeof(std::uint64_t), 1) {
  if (pieces_ != 0) add_free({0, static_cast<std::uint32_t>(pieces_)});
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  if (bytes > pieces_ * kAlignment) return 0;
  const std::uint64_t own = own_pieces(bytes);
  if (own + kPiecesBetween > pieces_) return 0;
  std::uint64_t address = 0;
  std::uint64_t seed = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto first = take(static_cast<std::uint32_t>(own + kPiecesBetween));
    if (!first) return 0;
    for (std::uint32_t i = 0; i < own; ++i) set_owner(*first + i, *first + 1);
    set_owner(static_cast<std::uint32_t>(*first + own), 0);
    set_block(*first, {bytes, true});
    address = address_of(*first);
    seed = ++seed_;
  }
  fill_with_random_bits(host_pointer<void>(address), bytes, seed);
  return address;
}

bool DeviceHeap::release(std::uint64_t address) {
  if (!contains(address) || address % kAlignment != 0) return false;
  const std::uint32_t first = piece_at(address);
  const std::lock_guard lock(mutex_);
  const Block released = block(first);
  if (owner(first) != first + 1 || !released.live) return false;
  set_block(first, {released.bytes, false});
  const std::uint64_t count = own_pieces(released.bytes) + kPiecesBetween;
  retired_.push_back({first, static_cast<std::uint32_t>(count)});
  return true;
}

Range DeviceHeap::block_at(std::uint64_t address) const noexcept {
  if (!contains(address)) return {};
  const std::uint32_t owned_by = owner(piece_at(address));
  if (owned_by == 0) return {};
  const Block found = block(owned_by - 1);
  const std::uint64_t begin = address_of(owned_by - 1);
  if (!found.live || address - begin >= found.bytes) return {};
  return {begin, begin + found.bytes};
}

std::string DeviceHeap::locate(std::uint64_t address, std::uint64_t bytes) const {
  std::uint32_t piece = piece_at(address);
  const std::uint32_t farthest = piece - std::min(piece, kNearPieces);
  while (piece > farthest && owner(piece) == 0) --piece;
  const std::uint32_t owned_by = owner(piece);
  if (owned_by == 0) return "in the device heap, near no block";

  const Block found = block(owned_by - 1);
  const std::uint64_t offset = address - address_of(owned_by - 1);
  const std::string name = "a " + std::to_string(found.bytes) + "-byte block of the device heap" +
                           (found.live ? "" : " that has been freed");
  if (offset == found.bytes) return "right behind the end of " + name;
  if (offset > found.bytes) return counted_bytes(offset - found.bytes) + " past the end of " + name;
  if (!found.live || found.bytes - offset >= bytes) return counted_bytes(offset) + " into " + name;
  return "of which " + counted_bytes(bytes - (found.bytes - offset)) + " lie past the end of " +
         name;
}

std::uint32_t DeviceHeap::owner(std::uint32_t piece) const noexcept {
  return entry<std::uint32_t>(owners_, piece).load(std::memory_order_relaxed);
}
void DeviceHeap::set_owner(std::uint32_t piece, std::uint32_t owner) noexcept {
  entry<std::uint32_t>(owners_, piece).store(owner, std::memory_order_relaxed);
}

DeviceHeap::Block DeviceHeap::block(std::uint32_t first) const noexcept {
  const auto word = entry<std::uint64_t>(blocks_, first).load(std::memory_order_relaxed);
  return {word / 2, word % 2 != 0};
}
void DeviceHeap::set_block(std::uint32_t first, Block block) noexcept {
  entry<std::uint64_t>(blocks_, first)
      .store(block.bytes * 2 + (block.live ? 1 : 0), std::memory_order_relaxed);
}

std::optional<std::uint32_t> DeviceHeap::take(std::uint32_t count) {
  if (!has_room(count)) {
    for (const Extent& extent : std::exchange(retired_, {})) add_free(extent);
    if (!has_room(count)) return std::nullopt;
  }
  // The smallest that is large enough.
  const std::uint32_t first = free_by_count_.lower_bound({count, 0})->second;
  const auto found = free_.find(first);
  const std::uint32_t rest = found->second - count;
  erase_free(found);
  if (rest != 0) add_free({first + count, rest});
  return first;
}

bool DeviceHeap::has_room(std::uint32_t count) const {
  return !free_by_count_.empty() && free_by_count_.rbegin()->first >= count;
}

void DeviceHeap::add_free(Extent extent) {
  const auto after = free_.lower_bound(extent.first);
  if (after != free_.end() && after->first == extent.first + extent.count) {
    extent.count += after->second;
    erase_free(after);
  }
  const auto behind = free_.lower_bound(extent.first);
  if (behind != free_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == extent.first) {
      extent = {before->first, before->second + extent.count};
      erase_free(before);
    }
  }
  free_.emplace(extent.first, extent.count);
  free_by_count_.emplace(extent.count, extent.first);
}

void DeviceHeap::erase_free(std::map<std::uint32_t, std::uint32_t>::iterator extent) {
  free_by_count_.erase({extent->second, extent->first});
  free_.erase(extent);
}

}  // namespace emulator::runtime
