// Words for a block none of whose units can go on.
#pragma once

#include <span>

#include "emulator/runtime/abi.h"
#include "emulator/runtime/barrier.h"
#include "emulator/runtime/fault.h"
#include "emulator/runtime/meetings.h"

namespace emulator::runtime {

// Every unit that has not ended waits: where the first one does, and what is missing there.
// `contexts` are those of the units; `meetings` is null where warps run.
[[nodiscard]] Fault deadlock_fault(std::span<const WarpContext> contexts, const Barriers& barriers,
                                   const Meetings* meetings);

}  // namespace emulator::runtime
