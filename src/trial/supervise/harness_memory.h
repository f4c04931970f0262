// What a trial holds beside the kernel's own memory.
#pragma once

#include <cstdint>

#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

// Bytes that the harness needs for a case of that size, on either device and in all processes of a
// trial together: no kernel is charged with them.
[[nodiscard]] std::uint64_t harness_bytes(const SizedCase& sized);

}  // namespace autokernel::trial
