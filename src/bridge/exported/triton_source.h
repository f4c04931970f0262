// A kernel in Triton's language with a function that launches it on PyTorch's tensors.
#pragma once

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {

// By path from the folder of the module. Throws Error(usage) for a kernel that is not in Python.
[[nodiscard]] ShippedFiles triton_source(const KernelToShip& kernel, const Signature& signature);

}  // namespace autokernel::bridge
