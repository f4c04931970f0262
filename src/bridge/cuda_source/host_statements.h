// What host code does besides launching a kernel.
#pragma once

#include <optional>
#include <string>

#include "bridge/cuda_source/launches.h"

namespace autokernel::bridge {

// Of the functions that lead to a launch, the first statement that does more than to prepare it:
// a computation, a copy, a loop around it, another meaning of its name. A sentence; none where
// there is none. Such host code would compute something else than its kernel does.
[[nodiscard]] std::optional<std::string> more_than_a_launch(const Source& source,
                                                            HostValues& values,
                                                            const KernelLaunch& launch);

}  // namespace autokernel::bridge
