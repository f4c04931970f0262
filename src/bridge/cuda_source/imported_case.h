// The case of one launch.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "autokernel/bridge/cuda_source.h"
#include "bridge/cuda_source/launches.h"

namespace autokernel::bridge {

// Either the case, or why there is none.
[[nodiscard]] std::variant<ImportedCase, NotImported> imported_case(const Source& source,
                                                                    HostValues& values,
                                                                    const KernelLaunch& launch);

// The kernel of a launch in host code that is called from outside. `locals` are the variables of
// the host that hold tensors of the case, by their names.
[[nodiscard]] std::variant<CalledKernel, std::string> called_kernel(
    const Source& source, HostValues& values, const KernelLaunch& launch, const HostCall& call,
    const std::map<std::string, std::string>& locals);

}  // namespace autokernel::bridge
