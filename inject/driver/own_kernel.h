// The kernels that replace those of the program, loaded and launched.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "driver/replacement.h"

namespace autokernel::inject {

// What a launch of ours is given: addresses of the tensors, and the bytes of the parameters of the
// launch that it replaces.
struct GivenOperands {
  std::vector<CUdeviceptr> tensors;
  std::vector<std::vector<unsigned char>> parameters;
};

// Queues all launches of the replacement on the stream, in the current context, with what belongs
// to them: the workspace, and the module's objects as they were at first. Streams do not share
// them, nor do graphs. Gives the driver's error where it does not take one; nothing has been
// launched then, unless it was not the first.
[[nodiscard]] CUresult launch_own(std::size_t replacement, const GivenOperands& operands,
                                  CUstream stream, bool is_recorded);

// Whether the handle is of a kernel of ours.
[[nodiscard]] bool is_own(CUfunction function);

}  // namespace autokernel::inject
