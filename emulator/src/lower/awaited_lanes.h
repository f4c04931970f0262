// Lanes that an instruction names (shfl, vote ..) and that are elsewhere when the others come to
// it.
#pragma once

#include "lower/analysis.h"
#include "lower/control_flow.h"
#include "ptx/ast.h"

namespace emulator::lower {

// Whether some may exit later, or come to the instruction later, so that the others have to wait
// for them.
[[nodiscard]] bool lanes_wait_for_named_ones(const ptx::Function& function, const ControlFlow& flow,
                                             const Analysis& analysis);

}  // namespace emulator::lower
