// What no device can launch although each field of the declaration is possible by itself.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "autokernel/compile/compiler.h"

namespace autokernel::compile {

// The reason why a kernel declares more __shared__ objects than any may: what is more must be asked
// for in the launch. ptxas takes some of what no device can launch. None where all are right.
[[nodiscard]] std::optional<std::string> too_much_static_shared(
    const std::map<std::string, Resources>& resources, const std::string& source,
    const std::string& file_name);

// Throws Refused, naming the line of the declaration, where a launch asks for more shared memory,
// registers or threads than its kernel and the architecture allow together.
void require_launchable(const Program& program, const Request& request);

}  // namespace autokernel::compile
