// What a lane does to an mbarrier, for the functions that compiled kernels call.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

// On the object at `object`, which may be in any block of the cluster. Gives the state before an
// arrival, or whether a wait is over. Does not come back where the operation is not allowed;
// nothing in the caller's frame may own anything.
std::uint64_t operate_mbarrier(WarpContext& context, const Site& site, unsigned lane,
                               std::uint8_t* object, MbarrierOp operation, std::uint64_t operand);

// The same for bytes that have arrived, of the object at an address of the site's space.
void complete_transaction(WarpContext& context, std::uint32_t site, unsigned lane,
                          std::uint64_t address, std::uint64_t bytes);

}  // namespace emulator::runtime
