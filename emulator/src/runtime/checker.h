// For the functions that compiled kernels call: looks at the accesses of one instruction lane by
// lane, and ends the block at the first that is not allowed. Nothing in a frame that calls these
// may own anything: the fiber may be left for good.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/block.h"

// Kernels race where their authors let them; ThreadSanitizer is to watch the runtime, not them.
#if defined(__clang__) || defined(__GNUC__)
#define EMULATOR_KERNEL_MEMORY __attribute__((no_sanitize("thread")))
#endif

namespace emulator::runtime {

[[nodiscard]] inline unsigned lowest(std::uint32_t mask) {
  return static_cast<unsigned>(std::countr_zero(mask)) % kWarpSize;
}

// Report and leave it to the caller to abandon the block: "what, by thread .., PTX line n".
void report_access(WarpContext& context, const Site& site, unsigned lane, std::uint64_t address,
                   std::uint64_t bytes, std::uint64_t alignment);
void report_text(WarpContext& context, FaultKind kind, unsigned lane, std::uint32_t line,
                 const char* what);

[[noreturn]] void fault_access(WarpContext& context, const Site& site, unsigned lane,
                               std::uint64_t address, std::uint64_t bytes, std::uint64_t alignment);

// That no product of a warpgroup is reading these bytes, which are about to be written.
void require_not_read(WarpContext& context, const Site& site, unsigned lane,
                      const std::uint8_t* address, std::uint64_t length);

// Against the range seen last before the table.
class Checker {
 public:
  // Each access is of `bytes` bytes, a power of two, and aligned to them.
  Checker(WarpContext& context, std::uint32_t site_index, std::uint64_t bytes)
      : context_(context),
        site_(context.block->launch().sites[site_index]),
        cached_(context.ranges[site_index]),
        range_(cached_),
        bytes_(bytes) {
    // Left unchecked, a loop of these would keep a worker busy after another one has failed.
    if (context.block->progress().stopped()) context.block->abandon();
  }

  [[nodiscard]] const Site& site() const { return site_; }

  // Host address of the lane's access; does not come back where it is not allowed.
  [[nodiscard]] std::uint8_t* check(unsigned lane, std::uint64_t address) {
    return check_span(lane, address, bytes_);
  }
  // The same for a longer one, which is aligned to `bytes` too.
  [[nodiscard]] std::uint8_t* check_span(unsigned lane, std::uint64_t address,
                                         std::uint64_t length) {
    if ((address & (bytes_ - 1)) != 0) fault_access(context_, site_, lane, address, length, bytes_);
    if (!holds(range_, address, length)) look_up(lane, address, length);
    std::uint8_t* host = host_address(context_, site_, address);
    const bool no_products = context_.cluster_size == 1 && context_.block->products().none();
    if (site_.kind != AccessKind::load && !no_products)
      require_not_read(context_, site_, lane, host, length);
    return host;
  }

  // Remembers the range where it is good for the next warp's access as well.
  void finish() {
    if (cacheable_ && lookups_ == 1) cached_ = range_;
  }

 private:
  void look_up(unsigned lane, std::uint64_t address, std::uint64_t length) {
    const Permission allowed = permission(context_, site_, lane, address);
    if (!holds(allowed.range, address, length)) {
      fault_access(context_, site_, lane, address, length, bytes_);
    }
    // A lane's own frame must not be taken for the next lane's.
    range_ = allowed.whole_warp ? allowed.range : Range();
    cacheable_ = cacheable_ && allowed.whole_warp;
    ++lookups_;
  }

  WarpContext& context_;
  const Site& site_;
  Range& cached_;
  Range range_;
  std::uint64_t bytes_;
  unsigned lookups_ = 0;
  bool cacheable_ = true;
};

[[nodiscard]] inline bool in_shared(const WarpContext& context, const std::uint8_t* address) {
  const std::uint8_t* begin = own_shared(context);
  return address >= begin && address < begin + context.shared_bytes;
}

template <typename T>
[[nodiscard]] T lane_value(const WarpContext& context, unsigned element, unsigned lane) {
  T value;
  std::memcpy(&value, context.value[element] + lane * sizeof(T), sizeof(T));
  return value;
}

}  // namespace emulator::runtime
