// Whether a thread may touch an address, and the words for it when it may not.
#pragma once

#include <cstdint>

#include "runtime/abi.h"
#include "runtime/fault.h"
#include "runtime/host_pointer.h"

namespace emulator::runtime {

// What one lane may use around an address.
struct Permission {
  Range range;      // in the site's addresses; {1, 0} where nothing is allowed
  bool whole_warp;  // the same holds for every lane of the launch on this worker, to its end
};

[[nodiscard]] Permission permission(const WarpContext& context, const Site& site, unsigned lane,
                                    std::uint64_t address);

// The block's own window among the addresses of shared memory, and where it is.
[[nodiscard]] inline Range own_window(const WarpContext& context) {
  const std::uint64_t begin = std::uint64_t{context.cluster_rank} * kSharedWindow;
  return {begin, begin + context.shared_bytes};
}
[[nodiscard]] inline std::uint8_t* own_shared(const WarpContext& context) {
  return context.shared + own_window(context).begin;
}

// Whether [address, address + bytes) lies in the range; never wraps.
[[nodiscard]] inline bool holds(const Range& range, std::uint64_t address, std::uint64_t bytes) {
  return address >= range.begin && address < range.end && range.end - address >= bytes;
}

// Host address of an address of the site's space.
[[nodiscard]] inline std::uint8_t* host_address(const WarpContext& context, const Site& site,
                                                std::uint64_t address) {
  const bool shared = site.space == AccessSpace::shared || site.space == AccessSpace::cluster;
  return shared ? context.shared + address : host_pointer<std::uint8_t>(address);
}

// Whether a generic address lies in the lane's local memory, or in the block's shared memory.
[[nodiscard]] bool is_local(const WarpContext& context, unsigned lane, std::uint64_t address);
[[nodiscard]] bool is_shared(const WarpContext& context, std::uint64_t address);

// Whether these bytes are shared memory of another block of the cluster, one that has ended.
[[nodiscard]] bool is_of_an_ended_block(const WarpContext& context, const Site& site,
                                        std::uint64_t address, std::uint64_t bytes);

// The fault of a lane that may not use `bytes` bytes at `address`: misaligned where `address` is no
// multiple of `alignment`, else out of bounds.
[[nodiscard]] Fault access_fault(const WarpContext& context, const Site& site, unsigned lane,
                                 std::uint64_t address, std::uint64_t bytes,
                                 std::uint64_t alignment);

}  // namespace emulator::runtime
