// What a launch's arguments lie in, by the names that a declaration has for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

inline constexpr const char* kWorkspace = "workspace";

struct Buffer {
  std::size_t index = 0;                // of the tensor; one behind the last: the workspace
  std::uint64_t bytes = 0;              // of the workspace 0 where there is none
  const SizedTensor* tensor = nullptr;  // null: the workspace
};

// The tensor of that name, or the workspace; none where there is neither.
[[nodiscard]] std::optional<Buffer> buffer_called(const std::string& name, const SizedCase& sized,
                                                  std::uint64_t workspace_bytes);

}  // namespace autokernel::trial
