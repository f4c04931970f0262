#include "runtime/gathered_sums.h"

#include <algorithm>
#include <atomic>

#include "runtime/host_pointer.h"

namespace emulator::runtime {
namespace {

// A miss costs a call, and gains nothing: some of a warp's 32 lanes may miss, on average.
constexpr std::uint64_t kMissesPerWarp = 8;
// Before so many, each entry may have been missed four times: that says nothing yet.
constexpr std::uint64_t kFirstMisses = 4 * GatheredSums::kEntries;

}  // namespace

void GatheredSums::begin(bool open) {
  // Where a launch has ended for want of memory, sums may have been left.
  if (!empty_) std::ranges::fill(entries_, Entry{});
  empty_ = true;
  open_ = open;
  bytes_ = 0;
  warps_ = 0;
  misses_ = 0;
}

bool GatheredSums::open_for(std::uint32_t bytes) {
  if (open_ && bytes_ == 0) bytes_ = bytes;
  return takes(bytes);
}

void GatheredSums::add(std::uint64_t address, std::uint64_t addend) {
  Entry& entry = entries_[address / kBytesPerIndex % kEntries];
  if (entry.address == address) {
    entry.sum += addend;
    return;
  }
  carry_out(entry);
  entry = {address, addend};
  empty_ = false;
  ++misses_;
  if (misses_ > kFirstMisses && misses_ > warps_ * kMissesPerWarp) stop();
}

void GatheredSums::flush() {
  if (empty_) return;
  for (Entry& entry : entries_) {
    carry_out(entry);
    entry = {};
  }
  empty_ = true;
}

void GatheredSums::stop() {
  flush();
  open_ = false;
  bytes_ = 0;
}

void GatheredSums::carry_out(const Entry& entry) const {
  if (entry.address == 0) return;
  if (bytes_ == sizeof(std::uint64_t)) {
    std::atomic_ref(*host_pointer<std::uint64_t>(entry.address)).fetch_add(entry.sum);
  } else {
    std::atomic_ref(*host_pointer<std::uint32_t>(entry.address))
        .fetch_add(static_cast<std::uint32_t>(entry.sum));
  }
}

}  // namespace emulator::runtime
