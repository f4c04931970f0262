// What no device can launch although each field of the declaration is possible by itself.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "autokernel/compile/program.h"
#include "compile/kernel_info.h"

namespace autokernel::compile {

// The reason why a kernel declares more __shared__ objects than any may: what is more must be asked
// for in the launch. ptxas takes some of what no device can launch. None where all are right.
[[nodiscard]] std::optional<std::string> too_much_static_shared(
    const std::map<std::string, Resources>& resources, const Source& source);

// Throws Refused, naming `place` (where the declaration stands), where a launch asks for more
// shared memory, registers or threads than its kernel and the architecture allow together, for
// clusters that do not make up its grid, or for what the architecture has not got.
void require_launchable(const Launch& launch, const KernelInfo& kernel,
                        const std::string& architecture, const std::string& place);

}  // namespace autokernel::compile
