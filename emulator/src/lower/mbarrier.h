// For copies that complete at an mbarrier.
#pragma once

#include "lower/writer.h"

namespace emulator::lower {

// What the copy has brought, `bytes` per lane (i32), arrives at the mbarrier.
void complete_transaction(Writer& writer, const ptx::Instruction& instruction,
                          const ptx::Operand& barrier, const Value& bytes);
// Of st.async and red.async: whether the block is in a cluster of several; else the kernel ends
// here with a fault.
[[nodiscard]] bool requires_cluster(Writer& writer, const ptx::Instruction& instruction);
// cp.async.mbarrier.arrive: an arrival once the copies so far are there.
void arrive_after_copies(Writer& writer, const ptx::Instruction& instruction);

}  // namespace emulator::lower
