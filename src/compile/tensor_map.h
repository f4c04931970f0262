// What the bytes of a constant that AUTOKERNEL_TENSOR_MAP defines say. Their layout is that of
// include/autokernel.cuh.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

// Before the name of each.
inline constexpr const char* kTensorMapPrefix = "autokernel_tensor_map_";

// `symbol` is the constant's name, `file_name` what messages call the file. Throws Refused where
// the macro did not write these bytes.
[[nodiscard]] TensorMap decode_tensor_map(std::span<const std::byte> bytes,
                                          const std::string& symbol, const std::string& file_name);

}  // namespace autokernel::compile
