// Words for a block none of whose units can go on.
#pragma once

#include <span>

#include "runtime/abi.h"
#include "runtime/barrier.h"
#include "runtime/fault.h"
#include "runtime/lane_rendezvous.h"

namespace emulator::runtime {

// Every unit that has not ended waits: where the first one does, and what is missing there.
// `contexts` are those of the units; `meetings` is null where warps run.
[[nodiscard]] Fault deadlock_fault(std::span<const WarpContext> contexts, const Barriers& barriers,
                                   const Meetings* meetings);

}  // namespace emulator::runtime
