// Calls of device functions, carried out before anything else is known of a kernel: each call
// becomes a copy of the function's body, with registers and variables of its own, but for .shared
// ones, which are the block's. What the callee computes is then known as well, or as little, as if
// it stood in the kernel.
#pragma once

#include <cstddef>
#include <optional>

#include "ptx/ast.h"

namespace emulator::lower {

// Copies of bodies, copies within copies included, may come to this many instructions: ten times
// what the largest kernels have, and still compiled in minutes.
inline constexpr std::size_t kMostInlined = 200'000;
// And to this many registers and variables: as many as one function may have, and as many again.
inline constexpr std::size_t kMostInlinedNames = 2'000'000;

// The kernel with every call of a function that the module defines replaced by its body; empty
// where there is none. Throws ptx::Error at a call that cannot be: of a function that calls itself,
// with the wrong number of arguments, or where the copies grow beyond all measure.
[[nodiscard]] std::optional<ptx::Function> with_calls_inlined(const ptx::Module& module,
                                                              const ptx::Function& kernel);

}  // namespace emulator::lower
