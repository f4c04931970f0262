// A tensor map as tables of exported host code have it.
#pragma once

#include <string>

#include "autokernel/driver/tensor_map.h"

namespace autokernel::bridge {

// Behind the address: whether in im2col mode, type, rank, dims[5], strides[4], box[5],
// element_strides[5], interleave, swizzle, promotion, fill, lower[3], upper[3], channels, pixels.
[[nodiscard]] std::string map_numbers(const driver::TensorMapLayout& layout);

}  // namespace autokernel::bridge
