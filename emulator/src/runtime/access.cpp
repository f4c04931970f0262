#include "runtime/access.h"

#include <optional>
#include <string>

#include "runtime/block.h"
#include "runtime/cluster.h"

namespace emulator::runtime {
namespace {

Range local_frame(const WarpContext& context, unsigned lane) {
  const auto begin =
      reinterpret_cast<std::uint64_t>(context.local) + std::uint64_t{lane} * context.local_stride;
  return {begin, begin + context.block->launch().local_bytes_per_thread};
}

Range shared_window(const WarpContext& context) {
  const auto begin = reinterpret_cast<std::uint64_t>(own_shared(context));
  return {begin, begin + context.shared_bytes};
}

// Of the cluster's block whose window an address of shared memory lies in.
std::uint64_t rank_of(std::uint64_t address) { return address / kSharedWindow; }

bool has_ended(const WarpContext& context, std::uint64_t rank) {
  return rank != context.cluster_rank &&
         context.block->cluster().has_ended(static_cast<std::uint32_t>(rank));
}

// The shared memory of the cluster's block that an address of shared memory belongs to.
Permission window_in_cluster(const WarpContext& context, std::uint64_t address) {
  const std::uint64_t rank = rank_of(address);
  if (rank >= context.cluster_size || has_ended(context, rank)) return {Range(), false};
  const std::uint64_t begin = rank * kSharedWindow;
  // Another block's is there as long as that block runs.
  return {{begin, begin + context.shared_bytes}, rank == context.cluster_rank};
}

Range parameters(const WarpContext& context) {
  const auto begin = reinterpret_cast<std::uint64_t>(context.params);
  return {begin, begin + context.block->launch().parameters.size()};
}

Permission nothing() { return {Range(), false}; }

Permission mapped(const WarpContext& context, const Site& site, std::uint64_t address) {
  const Launch& launch = context.block->launch();
  const Allocation* found = launch.addresses->find(address);
  if (found == nullptr) {
    const bool global = site.space != AccessSpace::constant && launch.heap != nullptr;
    // Not for the whole warp, since nobody would notice that the block has been freed.
    return global ? Permission{launch.heap->block_at(address), false} : nothing();
  }
  const bool constant = found->kind == AllocationKind::constant_variable;
  const bool allowed = site.space == AccessSpace::constant ? constant
                       : site.space == AccessSpace::global
                           ? !constant
                           : !constant || site.kind == AccessKind::load;
  if (!allowed) return nothing();
  const Range range{found->begin, found->end};
  context.block->touch(range);
  return {range, true};
}

// The address of shared memory that a generic address among the windows of the cluster's other
// blocks stands for. Behind the memory of a block alone lies anything.
std::optional<std::uint64_t> in_other_windows(const WarpContext& context, std::uint64_t address) {
  const auto begin = reinterpret_cast<std::uint64_t>(context.shared);
  if (context.cluster_size == 1 || address < begin) return std::nullopt;
  if (rank_of(address - begin) >= context.cluster_size) return std::nullopt;
  if (holds(shared_window(context), address, 1)) return std::nullopt;
  return address - begin;
}

// The innermost known range that holds the address, whatever the site may do there.
Permission anywhere(const WarpContext& context, const Site& site, unsigned lane,
                    std::uint64_t address) {
  if (const Range range = shared_window(context); holds(range, address, 1)) return {range, true};
  if (const auto other = in_other_windows(context, address)) {
    const Permission there = window_in_cluster(context, *other);
    const std::uint64_t begin = address - *other;
    return {{there.range.begin + begin, there.range.end + begin}, there.whole_warp};
  }
  if (const Range range = local_frame(context, lane); holds(range, address, 1))
    return {range, false};
  if (site.kind == AccessKind::load) {
    if (const Range range = parameters(context); holds(range, address, 1)) return {range, true};
  }
  return mapped(context, site, address);
}

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "load";
    case AccessKind::store:
      return "store";
    case AccessKind::atomic:
      return "atomic operation";
  }
  return "access";
}

std::string against(const Range& range, std::uint64_t address, std::uint64_t bytes,
                    const std::string& owner) {
  if (address < range.begin)
    return counted_bytes(range.begin - address) + " before the start of " + owner;
  if (address == range.end) return "right behind the end of " + owner;
  if (address > range.end) return counted_bytes(address - range.end) + " past the end of " + owner;
  return "of which " + counted_bytes(bytes - (range.end - address)) + " lie past the end of " +
         owner;
}

std::string in_cluster(const WarpContext& context, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t rank = rank_of(address);
  if (rank >= context.cluster_size) {
    return "where none of the cluster's " + std::to_string(context.cluster_size) +
           " blocks has shared memory";
  }
  const std::string owner = "the shared memory of the cluster's block " + std::to_string(rank);
  if (has_ended(context, rank)) return "in " + owner + ", which has ended";
  return against({rank * kSharedWindow, rank * kSharedWindow + context.shared_bytes}, address,
                 bytes, "the " + counted_bytes(context.shared_bytes) + " of " + owner);
}

std::string where(const WarpContext& context, const Site& site, unsigned lane,
                  std::uint64_t address, std::uint64_t bytes) {
  const Launch& launch = context.block->launch();
  const std::string shared =
      "the block's " + counted_bytes(context.shared_bytes) + " of shared memory";
  const std::string local =
      "the thread's " + counted_bytes(launch.local_bytes_per_thread) + " of local memory";
  const Range window = shared_window(context);
  const Range frame = local_frame(context, lane);
  switch (site.space) {
    case AccessSpace::shared:
      return against(own_window(context), address, bytes, shared);
    case AccessSpace::cluster:
      return in_cluster(context, address, bytes);
    case AccessSpace::local:
      return against(frame, address, bytes, local);
    case AccessSpace::param:
      return against(parameters(context), address, bytes,
                     "the " + counted_bytes(launch.parameters.size()) + " of kernel parameters");
    default:
      break;
  }
  if (const auto other = in_other_windows(context, address)) {
    return in_cluster(context, *other, bytes);
  }
  if (holds(window, address, 1)) {
    return site.space == AccessSpace::generic ? against(window, address, bytes, shared)
                                              : "in shared memory, which is another state space";
  }
  const auto frames = reinterpret_cast<std::uint64_t>(context.local);
  if (holds(frame, address, 1) && site.space == AccessSpace::generic) {
    return against(frame, address, bytes, local);
  }
  if (address >= frames && address - frames < std::uint64_t{context.local_stride} * kWarpSize) {
    return site.space == AccessSpace::generic ? "in the local memory of another thread"
                                              : "in local memory, which is another state space";
  }
  const Allocation* found = launch.addresses->find(address, bytes);
  if (found != nullptr) {
    return found->kind == AllocationKind::constant_variable
               ? "in constant memory (variable " + found->name + ")"
               : "in global memory, which is another state space";
  }
  if (launch.heap != nullptr && launch.heap->contains(address)) {
    return launch.heap->locate(address, bytes);
  }
  return launch.addresses->locate(address, bytes);
}

FaultedAccess in(MemoryKind memory, const Range& range, std::uint64_t address) {
  return {.memory = memory, .address = address, .begin = range.begin, .end = range.end};
}

// In an address space that all memories share: the one that holds the address, or is near it.
FaultedAccess goal_among_all(const WarpContext& context, unsigned lane, std::uint64_t address) {
  const Launch& launch = context.block->launch();
  if (const Range window = shared_window(context); holds(window, address, 1)) {
    return in(MemoryKind::shared, {0, context.shared_bytes}, address - window.begin);
  }
  if (const auto other = in_other_windows(context, address)) {
    return in(MemoryKind::shared, {0, context.shared_bytes}, *other % kSharedWindow);
  }
  if (const Range frame = local_frame(context, lane); holds(frame, address, 1)) {
    return in(MemoryKind::local, frame, address);
  }
  if (launch.heap != nullptr && launch.heap->contains(address)) {
    return in(MemoryKind::heap, launch.heap->block_at(address), address);
  }
  const Allocation* near = launch.addresses->nearest(address);
  if (near == nullptr) {
    return in(address < kNullPage ? MemoryKind::null : MemoryKind::unknown, {0, 0}, address);
  }
  FaultedAccess access = in(near->name.empty() ? MemoryKind::device : MemoryKind::variable,
                            {near->begin, near->end}, address);
  access.name = near->name;
  return access;
}

// What the access went to, or missed.
FaultedAccess goal(const WarpContext& context, const Site& site, unsigned lane,
                   std::uint64_t address) {
  switch (site.space) {
    case AccessSpace::shared:
      return in(MemoryKind::shared, {0, context.shared_bytes}, address - own_window(context).begin);
    case AccessSpace::cluster:
      return in(MemoryKind::shared, {0, context.shared_bytes}, address % kSharedWindow);
    case AccessSpace::local:
      return in(MemoryKind::local, local_frame(context, lane), address);
    case AccessSpace::param:
      return in(MemoryKind::parameter, parameters(context), address);
    default:
      return goal_among_all(context, lane, address);
  }
}

}  // namespace

bool is_local(const WarpContext& context, unsigned lane, std::uint64_t address) {
  return holds(local_frame(context, lane), address, 1);
}

bool is_shared(const WarpContext& context, std::uint64_t address) {
  return holds(shared_window(context), address, 1);
}

bool is_of_an_ended_block(const WarpContext& context, const Site& site, std::uint64_t address,
                          std::uint64_t bytes) {
  if (context.cluster_size == 1) return false;
  const auto in_windows = site.space == AccessSpace::cluster ? std::optional(address)
                                                             : in_other_windows(context, address);
  if (!in_windows) return false;
  const std::uint64_t rank = rank_of(*in_windows);
  const std::uint64_t begin = rank * kSharedWindow;
  return rank < context.cluster_size && has_ended(context, rank) &&
         holds({begin, begin + context.shared_bytes}, *in_windows, bytes);
}

Permission permission(const WarpContext& context, const Site& site, unsigned lane,
                      std::uint64_t address) {
  switch (site.space) {
    case AccessSpace::shared:
      return {own_window(context), true};
    case AccessSpace::cluster:
      return window_in_cluster(context, address);
    case AccessSpace::local:
      return {local_frame(context, lane), false};
    case AccessSpace::param: {
      const Range range = parameters(context);
      if (site.kind == AccessKind::load && holds(range, address, 1)) return {range, true};
      // Parameters of device functions live in the caller's frame.
      return {local_frame(context, lane), false};
    }
    case AccessSpace::global:
    case AccessSpace::constant:
      return mapped(context, site, address);
    case AccessSpace::generic:
      break;
  }
  return anywhere(context, site, lane, address);
}

Fault access_fault(const WarpContext& context, const Site& site, unsigned lane,
                   std::uint64_t address, std::uint64_t bytes, std::uint64_t alignment) {
  const bool aligned = address % alignment == 0;
  std::string text = aligned ? "out-of-bounds " : "misaligned ";
  text += verb(site.kind);
  text += " of " + counted_bytes(bytes) + " at ";
  text += site.space == AccessSpace::shared ? "shared address " + hex(address) : hex(address);
  text += aligned ? ", " + where(context, site, lane, address, bytes)
                  : ", which is no multiple of " + std::to_string(alignment);
  text += by_thread(context, lane, site.line) + ": " + site.text;
  FaultedAccess access = goal(context, site, lane, address);
  access.kind = site.kind;
  access.bytes = bytes;
  access.alignment = alignment;
  return {.kind = aligned ? FaultKind::out_of_bounds : FaultKind::misaligned,
          .text = std::move(text),
          .line = site.line,
          .instruction = site.text,
          .thread = fault_thread(context, lane),
          .access = std::move(access)};
}

}  // namespace emulator::runtime
