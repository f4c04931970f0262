// Pointers into the middle of a buffer, which an external compiler's launches may ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "autokernel/compile/program.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

struct ResolvedPointer {
  std::size_t buffer = 0;    // index of the tensor; one behind the last: the workspace
  std::uint64_t offset = 0;  // bytes from its beginning
};

// The pointer, or the sentence that says why there is none: no such buffer, or it ends before that.
[[nodiscard]] std::variant<ResolvedPointer, std::string> resolve(
    const compile::OffsetPointer& pointer, const SizedCase& sized, std::uint64_t workspace_bytes);

}  // namespace autokernel::trial
