// One thread's atomic read-modify-write on memory that other workers may be using.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

// Applies `op` to the value of `type` at `target`, which is aligned to it. `operand` and `swap`
// (used by cas: the value compared with and the one put in its place are operand and swap) are
// values of that type, as is what is left in `old`. False if there is no such operation on the
// type.
[[nodiscard]] bool apply_atomic(AtomicOp op, AtomicType type, void* target, const void* operand,
                                const void* swap, void* old);

[[nodiscard]] std::uint32_t bytes_of(AtomicType type);

}  // namespace emulator::runtime
