// Loops that wait for what other threads write, and whether those may be lanes of the same warp.
#pragma once

#include "lower/analysis.h"
#include "lower/control_flow.h"
#include "ptx/ast.h"

namespace emulator::lower {

// Whether the instruction, in a loop, may be there to see what another thread has written.
[[nodiscard]] bool may_wait(const ptx::Instruction& instruction);

// Whether lanes of a warp that run together might wait for ever for each other: those that go round
// in a loop for those that rest where the warp goes on after it. Also where some lanes come to a
// barrier that is not .aligned without the others.
[[nodiscard]] bool lanes_wait_for_each_other(const ptx::Function& function, const ControlFlow& flow,
                                             const Analysis& analysis);

}  // namespace emulator::lower
