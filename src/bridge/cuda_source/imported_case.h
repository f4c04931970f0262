// The case of one launch.
#pragma once

#include <variant>

#include "autokernel/bridge/cuda_source.h"
#include "bridge/cuda_source/launches.h"

namespace autokernel::bridge {

// Either the case, or why there is none.
[[nodiscard]] std::variant<ImportedCase, NotImported> imported_case(const Source& source,
                                                                    HostValues& values,
                                                                    const KernelLaunch& launch);

}  // namespace autokernel::bridge
