// What exported Python knows of a kernel's tensors.
#pragma once

#include <string>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {

// ("A", "B", "C"): the names, and the roles "in", "out" and "inout", of all tensors.
[[nodiscard]] std::string python_names(const Signature& signature);
[[nodiscard]] std::string python_roles(const Signature& signature);
// A line for each size: of each tensor its shape, its strides and its type.
[[nodiscard]] std::string python_sizes(const KernelToShip& kernel, const std::string& indent);
// The text that finds the size of tensors, for the name of the kernel (texts/torch_sizes.py).
[[nodiscard]] std::string python_sizes_text(const KernelToShip& kernel, const Signature& signature);
// The size is found by what is read alone, where results are made. Throws Error(usage) where two
// sizes have the same inputs, or none is a tensor; `form` is what cannot be exported.
void require_distinct_inputs(const KernelToShip& kernel, const std::string& form);
// A line for each example: the number of its size, its scalars, and the bounds of what is written.
[[nodiscard]] std::string python_examples(const KernelToShip& kernel, const Signature& signature);
// A tensor with values, made with torch on that device.
[[nodiscard]] std::string python_tensor(const trial::ReadyTensor& tensor,
                                        const std::string& device);
// The first size's tensors, made with torch: "A = torch.randn(...)". Those that are only written
// are among them or not.
[[nodiscard]] std::string python_tensors(const KernelToShip& kernel, const Signature& signature,
                                         bool with_outputs);

}  // namespace autokernel::bridge
