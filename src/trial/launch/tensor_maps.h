// From a tensor map as the file declares it to one that the driver can encode, with the shape of
// the case's tensor, and whether the hardware takes it.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/driver/tensor_map.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

struct ResolvedMap {
  std::size_t buffer = 0;    // index of the tensor; one behind the last: the workspace
  std::uint64_t offset = 0;  // bytes from its beginning
  driver::TensorMapLayout layout;
};

// The map, or the sentence that says what to write: it begins with the line. What is checked is
// what the CUDA driver API documents for cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, and
// that all of the map lies in its buffer.
[[nodiscard]] std::variant<ResolvedMap, std::string> resolve(const compile::TensorMap& map,
                                                             const SizedCase& sized,
                                                             std::uint64_t workspace_bytes);

}  // namespace autokernel::trial
