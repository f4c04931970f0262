// The functions compiled kernels call. They run on a fiber that may be left for good at a fault, so
// nothing in a frame that calls Block::abandon() may own anything: what builds strings stands in
// functions of its own that return first.
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "runtime/abi.h"
#include "runtime/access.h"
#include "runtime/atomics.h"
#include "runtime/barrier_arrival.h"
#include "runtime/block.h"
#include "runtime/checker.h"
#include "runtime/claims.h"
#include "runtime/gathered_sums.h"
#include "runtime/host_pointer.h"
#include "runtime/print_format.h"
#include "runtime/register_copies.h"

namespace emulator::runtime {
namespace {

template <std::uint32_t bytes>
EMULATOR_KERNEL_MEMORY void load_lanes(WarpContext& context, std::uint32_t site, std::uint32_t mask,
                                       std::uint32_t elements) {
  Checker checker(context, site, std::uint64_t{bytes} * elements);
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const std::uint8_t* from = checker.check(lane, context.address[lane]);
    for (std::uint32_t e = 0; e < elements; ++e) {
      std::memcpy(context.value[e] + std::size_t{lane} * bytes, from + std::size_t{e} * bytes,
                  bytes);
    }
  }
  checker.finish();
}

template <std::uint32_t bytes>
EMULATOR_KERNEL_MEMORY void store_lanes(WarpContext& context, std::uint32_t site,
                                        std::uint32_t mask, std::uint32_t elements) {
  const std::uint32_t written = context.block->launch().sites[site].written;
  Checker checker(context, site, std::uint64_t{bytes} * elements);
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    std::uint8_t* to = checker.check(lane, context.address[lane]);
    for (std::uint32_t e = 0; e < elements; ++e) {
      if ((written >> e & 1U) == 0) continue;
      std::memcpy(to + std::size_t{e} * bytes, context.value[e] + std::size_t{lane} * bytes, bytes);
    }
  }
  checker.finish();
}

// cp.async.
template <std::uint32_t bytes>
EMULATOR_KERNEL_MEMORY void copy_lanes(WarpContext& context, std::uint32_t load_site,
                                       std::uint32_t store_site, std::uint32_t mask) {
  Checker loads(context, load_site, bytes);
  Checker part(context, load_site, 1);
  Checker stores(context, store_site, bytes);
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    std::uint64_t to = 0;
    std::uint32_t wanted = 0;
    std::memcpy(&to, context.value[0] + std::size_t{lane} * sizeof to, sizeof to);
    std::memcpy(&wanted, context.value[1] + std::size_t{lane} * sizeof wanted, sizeof wanted);
    const std::uint64_t from = context.address[lane];
    std::array<std::uint8_t, bytes> data{};
    if (wanted >= bytes) {
      std::memcpy(data.data(), loads.check(lane, from), bytes);
    } else if (wanted != 0) {
      std::memcpy(data.data(), part.check_span(lane, from, wanted), wanted);
    }
    std::memcpy(stores.check(lane, to), data.data(), bytes);
  }
  stores.finish();
  loads.finish();
}

// Gives the operands of lanes that add to gathered memory to the worker's sums; the lanes that are
// left.
std::uint32_t gather_lanes(WarpContext& context, std::uint32_t site, std::uint32_t mask,
                           std::uint32_t bytes) {
  std::uint32_t left = 0;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const std::uint64_t address = context.address[lane];
    const Range* range = context.block->gathered(address);
    // Adding may have ended it.
    if (range == nullptr || !holds(*range, address, bytes) || address % bytes != 0 ||
        !context.sums->takes(bytes)) {
      left |= 1U << lane;
      continue;
    }
    std::uint64_t addend = 0;
    std::memcpy(&addend, context.value[0] + std::size_t{lane} * bytes, bytes);
    context.sums->add(address, addend);
    context.ranges[site] = *range;
  }
  return left;
}

// Whether a lane may read [address, address + bytes) as generic memory, and if so the bytes.
bool read_generic(const WarpContext& context, unsigned lane, std::uint64_t address,
                  std::uint64_t bytes, void* to) {
  const Site site{AccessKind::load, AccessSpace::generic, 1, 1, 0, ""};
  if (!holds(permission(context, site, lane, address).range, address, bytes)) return false;
  std::memcpy(to, host_pointer<const void>(address), bytes);
  return true;
}

ReadMemory reader(const WarpContext& context, unsigned lane) {
  return [&context, lane](std::uint64_t address, std::uint64_t bytes, void* to) {
    return read_generic(context, lane, address, bytes, to);
  };
}

// False after a fault has been reported.
bool print_lanes(WarpContext& context, std::uint32_t mask, std::uint32_t line) {
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    std::uint64_t bad = 0;
    std::optional<Printed> printed =
        format_print(context.address[lane], lane_value<std::uint64_t>(context, 0, lane),
                     reader(context, lane), bad);
    if (!printed) {
      const Site site{AccessKind::load, AccessSpace::generic, 1, 1, line, "printf"};
      report_access(context, site, lane, bad, 1, 1);
      return false;
    }
    context.block->launch().prints->append(std::move(printed->text));
    std::memcpy(context.value[1] + lane * sizeof(std::uint32_t), &printed->arguments,
                sizeof(std::uint32_t));
  }
  return true;
}

// Of the condition, the file and the function that an assertion names. The kernel may pass any
// memory for them, and what they say travels into a fault's one line; 32 lanes print theirs.
constexpr std::size_t kLongestAssertText = 1000;

void report_assertion(WarpContext& context, std::uint32_t mask, std::uint32_t ptx_line) {
  std::string first;
  std::string lines;
  std::optional<FaultThread> thread;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    const auto text = [&](std::uint64_t address) {
      return read_string(address, reader(context, lane), kLongestAssertText).value_or("?");
    };
    const auto triple = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
      return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
    };
    const std::string message =
        text(lane_value<std::uint64_t>(context, 0, lane)) + ":" +
        std::to_string(lane_value<std::uint32_t>(context, 1, lane)) + ": " +
        text(lane_value<std::uint64_t>(context, 2, lane)) +
        ": block: " + triple(context.ctaid[0], context.ctaid[1], context.ctaid[2]) +
        ", thread: " + triple(context.tid[0][lane], context.tid[1][lane], context.tid[2][lane]) +
        " Assertion `" + text(context.address[lane]) + "` failed.";
    if (first.empty()) {
      first = message + " (" + line_name(context, ptx_line) + ")";
      thread = fault_thread(context, lane);
    }
    lines += message + "\n";
  }
  // Only the warp whose assertion is the launch's fault speaks; the others were stopped by it.
  if (context.block->progress().report({.kind = FaultKind::assertion,
                                        .text = std::move(first),
                                        .line = ptx_line,
                                        .thread = thread})) {
    std::fputs(lines.c_str(), stderr);
  }
}

const char* words(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
      return "out-of-bounds access";
    case FaultKind::misaligned:
      return "misaligned access";
    case FaultKind::trap:
      return "trap instruction";
    case FaultKind::assertion:
      return "failed assertion";
    case FaultKind::barrier:
      return "warp-wide instruction that names a lane which does not come to it";
    case FaultKind::bad_instruction:
      return "instruction that cannot be carried out";
    case FaultKind::stack:
      return "call stack exhausted";
    case FaultKind::bad_call:
      return "call of what is no function";
  }
  return "fault";
}

// The string must be gone before the block is abandoned.
[[gnu::noinline]] void report_stack(WarpContext& context, unsigned lane, std::uint32_t line) {
  const std::string what =
      "call stack exhausted: a thread has " +
      std::to_string(context.block->launch().local_bytes_per_thread) +
      " bytes of local memory for its calls and local arrays (CU_LIMIT_STACK_SIZE)";
  report_text(context, FaultKind::stack, lane, line, what.c_str());
}

}  // namespace

extern "C" {

void emu_load(WarpContext* context, std::uint32_t site, std::uint32_t mask) {
  const Site& access = context->block->launch().sites[site];
  switch (access.bytes) {
    case 1:
      return load_lanes<1>(*context, site, mask, access.elements);
    case 2:
      return load_lanes<2>(*context, site, mask, access.elements);
    case 4:
      return load_lanes<4>(*context, site, mask, access.elements);
    case 8:
      return load_lanes<8>(*context, site, mask, access.elements);
    default:
      return load_lanes<16>(*context, site, mask, access.elements);
  }
}

void emu_store(WarpContext* context, std::uint32_t site, std::uint32_t mask) {
  const Site& access = context->block->launch().sites[site];
  switch (access.bytes) {
    case 1:
      return store_lanes<1>(*context, site, mask, access.elements);
    case 2:
      return store_lanes<2>(*context, site, mask, access.elements);
    case 4:
      return store_lanes<4>(*context, site, mask, access.elements);
    case 8:
      return store_lanes<8>(*context, site, mask, access.elements);
    default:
      return store_lanes<16>(*context, site, mask, access.elements);
  }
}

void emu_atomic(WarpContext* context, std::uint32_t site, std::uint32_t mask, std::uint32_t op,
                std::uint32_t type) {
  const auto kind = static_cast<AtomicType>(type);
  const std::uint32_t elements = context->block->launch().sites[site].elements;
  const std::uint32_t bytes = bytes_of(kind);
  Checker checker(*context, site, std::uint64_t{bytes} * elements);
  const bool gathers = (op & kMayBeGathered) != 0 && context->sums->open_for(bytes);
  op &= ~kMayBeGathered;
  if (gathers) mask = gather_lanes(*context, site, mask, bytes);
  if (mask == 0) return;
  for (; mask != 0; mask &= mask - 1) {
    const unsigned lane = lowest(mask);
    std::uint8_t* target = checker.check(lane, context->address[lane]);
    const AtomicType here =
        kind == AtomicType::f32 && !in_shared(*context, target) ? AtomicType::f32_flushed : kind;
    for (std::uint32_t e = 0; e < elements; ++e) {
      const std::size_t at = (std::size_t{lane} * elements + e) * bytes;
      if (apply_atomic(static_cast<AtomicOp>(op), here, target + std::size_t{e} * bytes,
                       context->value[0] + at, context->value[1] + at, context->value[2] + at)) {
        continue;
      }
      report_text(*context, FaultKind::bad_instruction, lane, checker.site().line,
                  "atomic operation that its type does not have");
      context->block->abandon();
    }
  }
  checker.finish();
  if (gathers && context->ranges[site].begin < context->ranges[site].end)
    context->block->begin_gathering(site);
}

void emu_check(WarpContext* context, std::uint32_t site, std::uint32_t mask, std::uint64_t address,
               std::uint64_t bytes) {
  const Site& access = context->block->launch().sites[site];
  const unsigned lane = lowest(mask);
  const std::uint64_t alignment = std::uint64_t{access.bytes} * access.elements;
  const Permission allowed = permission(*context, access, lane, address);
  if (address % alignment != 0 || !holds(allowed.range, address, bytes)) {
    fault_access(*context, access, lane, address, bytes, alignment);
  }
  if (allowed.whole_warp) context->ranges[site] = allowed.range;
}

void emu_outside(WarpContext* context, std::uint32_t site, std::uint32_t mask,
                 std::uint64_t address, std::uint64_t bytes) {
  fault_access(*context, context->block->launch().sites[site], lowest(mask), address, bytes, 1);
}

void emu_barrier(WarpContext* context, std::uint32_t mask, std::uint32_t id, std::uint32_t threads,
                 std::uint32_t line, std::uint32_t arrive_only) {
  const BarrierWait wait = arrive_only != 0 ? BarrierWait::arrive : BarrierWait::sync;
  arrive_at_barrier(
      *context, mask,
      {.unit = context->unit, .id = id, .threads = threads, .line = line, .wait = wait});
}

std::uint32_t emu_barrier_reduce(WarpContext* context, std::uint32_t mask, std::uint32_t id,
                                 std::uint32_t threads, std::uint32_t line, std::uint32_t predicate,
                                 std::uint32_t op) {
  constexpr std::array<Reduction, 3> kReductions = {Reduction::popc, Reduction::and_,
                                                    Reduction::or_};
  return arrive_at_barrier(*context, mask,
                           {.unit = context->unit,
                            .id = id,
                            .threads = threads,
                            .line = line,
                            .wait = BarrierWait::sync,
                            .reduction = kReductions[op % 3],
                            .lanes = mask,
                            .predicate = predicate});
}

void emu_fault(WarpContext* context, std::uint32_t kind, std::uint32_t mask, std::uint32_t line) {
  const auto what = static_cast<FaultKind>(kind);
  if (what == FaultKind::stack) {
    report_stack(*context, lowest(mask), line);
  } else {
    report_text(*context, what, lowest(mask), line, words(what));
  }
  context->block->abandon();
}

void emu_outside_mask(WarpContext* context, std::uint32_t lanes, std::uint32_t line) {
  report_text(*context, FaultKind::bad_instruction, lowest(lanes), line,
              "warp-wide instruction whose mask leaves out the lane that runs it");
  context->block->abandon();
}

void emu_printf(WarpContext* context, std::uint32_t mask, std::uint32_t line) {
  if (!print_lanes(*context, mask, line)) context->block->abandon();
}

void emu_assert(WarpContext* context, std::uint32_t mask, std::uint32_t line) {
  report_assertion(*context, mask, line);
  context->block->abandon();
}

std::uint64_t emu_clock(WarpContext*) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

void emu_yield(WarpContext* context) { context->block->yield(); }

void emu_copy(WarpContext* context, std::uint32_t load_site, std::uint32_t store_site,
              std::uint32_t mask, std::uint32_t bytes) {
  switch (bytes) {
    case 4:
      return copy_lanes<4>(*context, load_site, store_site, mask);
    case 8:
      return copy_lanes<8>(*context, load_site, store_site, mask);
    default:
      return copy_lanes<16>(*context, load_site, store_site, mask);
  }
}

}  // extern "C"

std::span<const EntryPoint> entry_points() {
  static const auto points = std::to_array<EntryPoint>({
      {"emu_load", reinterpret_cast<void*>(emu_load)},
      {"emu_store", reinterpret_cast<void*>(emu_store)},
      {"emu_atomic", reinterpret_cast<void*>(emu_atomic)},
      {"emu_check", reinterpret_cast<void*>(emu_check)},
      {"emu_outside", reinterpret_cast<void*>(emu_outside)},
      {"emu_barrier", reinterpret_cast<void*>(emu_barrier)},
      {"emu_barrier_reduce", reinterpret_cast<void*>(emu_barrier_reduce)},
      {"emu_fault", reinterpret_cast<void*>(emu_fault)},
      {"emu_outside_mask", reinterpret_cast<void*>(emu_outside_mask)},
      {"emu_printf", reinterpret_cast<void*>(emu_printf)},
      {"emu_assert", reinterpret_cast<void*>(emu_assert)},
      {"emu_malloc", reinterpret_cast<void*>(emu_malloc)},
      {"emu_free", reinterpret_cast<void*>(emu_free)},
      {"emu_directed", reinterpret_cast<void*>(emu_directed)},
      {"emu_claim", reinterpret_cast<void*>(emu_claim)},
      {"emu_clock", reinterpret_cast<void*>(emu_clock)},
      {"emu_await_launches", reinterpret_cast<void*>(emu_await_launches)},
      {"emu_trigger", reinterpret_cast<void*>(emu_trigger)},
      {"emu_yield", reinterpret_cast<void*>(emu_yield)},
      {"emu_load_matrix", reinterpret_cast<void*>(emu_load_matrix)},
      {"emu_load_byte_matrix", reinterpret_cast<void*>(emu_load_byte_matrix)},
      {"emu_store_byte_matrix", reinterpret_cast<void*>(emu_store_byte_matrix)},
      {"emu_store_matrix", reinterpret_cast<void*>(emu_store_matrix)},
      {"emu_mma", reinterpret_cast<void*>(emu_mma)},
      {"emu_move", reinterpret_cast<void*>(emu_move)},
      {"emu_copy", reinterpret_cast<void*>(emu_copy)},
      {"emu_load_fragment", reinterpret_cast<void*>(emu_load_fragment)},
      {"emu_store_fragment", reinterpret_cast<void*>(emu_store_fragment)},
      {"emu_wmma", reinterpret_cast<void*>(emu_wmma)},
      {"emu_meet", reinterpret_cast<void*>(emu_meet)},
      {"emu_deal", reinterpret_cast<void*>(emu_deal)},
      {"emu_bad_call", reinterpret_cast<void*>(emu_bad_call)},
      {"emu_load_kept", reinterpret_cast<void*>(emu_load_kept)},
      {"emu_store_kept", reinterpret_cast<void*>(emu_store_kept)},
      {"emu_check_kept", reinterpret_cast<void*>(emu_check_kept)},
      {"emu_atomic_kept", reinterpret_cast<void*>(emu_atomic_kept)},
      {"emu_product", reinterpret_cast<void*>(emu_product)},
      {"emu_mbarrier", reinterpret_cast<void*>(emu_mbarrier)},
      {"emu_bulk_copy", reinterpret_cast<void*>(emu_bulk_copy)},
      {"emu_bulk_copy_masked", reinterpret_cast<void*>(emu_bulk_copy_masked)},
      {"emu_bulk_fill", reinterpret_cast<void*>(emu_bulk_fill)},
      {"emu_try_cancel", reinterpret_cast<void*>(emu_try_cancel)},
      {"emu_bulk_reduce", reinterpret_cast<void*>(emu_bulk_reduce)},
      {"emu_scaled_product", reinterpret_cast<void*>(emu_scaled_product)},
      {"emu_sparse_product", reinterpret_cast<void*>(emu_sparse_product)},
      {"emu_registers", reinterpret_cast<void*>(emu_registers)},
      {"emu_bulk_multicast", reinterpret_cast<void*>(emu_bulk_multicast)},
      {"emu_tensor_copy", reinterpret_cast<void*>(emu_tensor_copy)},
      {"emu_tensor_map_replace", reinterpret_cast<void*>(emu_tensor_map_replace)},
      {"emu_wgmma_begin", reinterpret_cast<void*>(emu_wgmma_begin)},
      {"emu_wgmma", reinterpret_cast<void*>(emu_wgmma)},
      {"emu_wgmma_commit", reinterpret_cast<void*>(emu_wgmma_commit)},
      {"emu_wgmma_wait", reinterpret_cast<void*>(emu_wgmma_wait)},
      {"emu_wgmma_touch", reinterpret_cast<void*>(emu_wgmma_touch)},
      {"emu_cluster_barrier", reinterpret_cast<void*>(emu_cluster_barrier)},
  });
  return points;
}

}  // namespace emulator::runtime
