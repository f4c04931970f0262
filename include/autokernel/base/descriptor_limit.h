// Thousands of connections at once take more descriptors than a process is given at first.
#pragma once

#include <cstddef>
#include <limits>

namespace autokernel {

// Raises the limit of this process on open descriptors as far as it may by itself, but to `most` at
// most, and returns how many it may have. The limit stays raised; what is started inherits it.
std::size_t raise_descriptor_limit(std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace autokernel
