// What there is for a device in an image that a program loaded, whatever form it had.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace autokernel::compile {

struct ImageParts {
  std::vector<std::byte> cubin;  // machine code that the device runs; empty: there is none
  std::string ptx;               // the latest that the device takes; empty: there is none
  std::string trouble;           // why nothing could be found out; empty: it could
};

// Of PTX, a cubin or a fat binary, for a device of that capability.
[[nodiscard]] ImageParts parts_of_image(std::span<const std::byte> image, int major, int minor);

}  // namespace autokernel::compile
