// Everything machine code of a kernel may call: the runtime's entry points, and the mathematical
// functions LLVM falls back on where the host has no instruction.
#pragma once

#include <vector>

#include "runtime/abi.h"

namespace emulator::jit {

[[nodiscard]] std::vector<runtime::EntryPoint> callable_symbols();

}  // namespace emulator::jit
