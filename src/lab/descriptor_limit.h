// Thousands of connections at once take more descriptors than a process is given at first.
#pragma once

#include <cstddef>

namespace autokernel::lab {

// Raises the limit of this process on open descriptors as far as it may by itself, and returns how
// many it may have. The limit stays raised.
[[nodiscard]] std::size_t raise_descriptor_limit();

}  // namespace autokernel::lab
