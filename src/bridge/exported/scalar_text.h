// The scalars of an example, as a program writes them.
#pragma once

#include <string>
#include <vector>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {

// The code for a size that is there.
[[nodiscard]] const ExportedCode& code_of(const KernelToShip& kernel, const std::string& size);

// Of those that a caller gives, in order: numbers that C and Python read alike, and that lose
// nothing of their types.
[[nodiscard]] std::vector<std::string> scalar_texts(const KernelToShip& kernel,
                                                    const Signature& signature,
                                                    const ExportedExample& example);

}  // namespace autokernel::bridge
