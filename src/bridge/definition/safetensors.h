// Tensors of a file in the format of safetensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace autokernel::bridge {

struct StoredTensor {
  std::string dtype;  // "BF16"
  std::vector<std::int64_t> shape;
  std::string bytes;  // row-major, little-endian
};

// The tensor of that key. Throws Error(usage), which names `file`, where the file is damaged or has
// none. The format: eight bytes with the length of a header in JSON, the header, the values.
[[nodiscard]] StoredTensor safetensors_entry(const std::string& file, const std::string& bytes,
                                             const std::string& key);

}  // namespace autokernel::bridge
