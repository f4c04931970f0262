// What no device can launch although each field of the declaration is possible by itself.
#pragma once

#include "autokernel/compile/compiler.h"

namespace autokernel::compile {

// Throws Refused, naming the line of the declaration, where a launch asks for more shared memory,
// registers or threads than its kernel and the architecture allow together.
void require_launchable(const Program& program, const Request& request);

}  // namespace autokernel::compile
