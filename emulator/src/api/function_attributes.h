// What can be asked of a kernel, and set.
#pragma once

#include "api/cuda_api.h"
#include "api/module.h"

namespace emulator::api {

// Throw Refusal(CUDA_ERROR_INVALID_VALUE).
[[nodiscard]] int attribute_of(const Kernel& kernel, CUfunction_attribute which);
void set_attribute(Kernel& kernel, CUfunction_attribute which, int value);

}  // namespace emulator::api
