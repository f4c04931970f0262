// What a trial holds beside the kernel's own memory.
#pragma once

#include <cstdint>

#include "autokernel/cases/case.h"

namespace autokernel::trial {

// Bytes that the harness needs for a case at those sizes, on either device and in all processes of
// a trial together: no kernel is charged with them.
[[nodiscard]] std::uint64_t harness_bytes(const cases::Case& problem, const cases::Sizes& sizes);

}  // namespace autokernel::trial
