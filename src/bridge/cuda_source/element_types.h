// How C++ types of elements are tensors of a case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bridge/cuda_source/host_values.h"

namespace autokernel::bridge {

struct ElementType {
  std::string dtype;       // "f32", as in case.toml
  std::int64_t bytes = 0;  // of one
  std::int64_t count = 1;  // in the C++ type: of float4 four
};

// "const float4" -> f32, four of it. A struct whose members all have one type is so many of it.
// None where a tensor cannot hold it.
[[nodiscard]] std::optional<ElementType> element_type(const Source& source, const std::string& type,
                                                      int depth = 0);

}  // namespace autokernel::bridge
