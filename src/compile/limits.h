// What no device can launch although each field of the declaration is possible by itself.
#pragma once

#include "autokernel/compile/compiler.h"
#include "compile/kernel_info.h"

namespace autokernel::compile {

// Throws Refused, naming `place` (where the declaration stands), where a launch asks for more
// shared memory, registers or threads than its kernel and the architecture allow together.
void require_launchable(const Launch& launch, const KernelInfo& kernel,
                        const std::string& architecture, const std::string& place);

}  // namespace autokernel::compile
