// What tests in C and in CUDA C++ know of their data.
#pragma once

#include <string>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {

// Tables operands_N, one for each example, of what compare.h calls an operand; N: the size.
[[nodiscard]] std::string operand_tables(const KernelToShip& kernel, const Signature& signature);

// The constants in front: TENSORS, EXAMPLES and MAY_BE_WRONG.
[[nodiscard]] std::string test_constants(const KernelToShip& kernel, const Signature& signature);

}  // namespace autokernel::bridge
