// Kernels that are put into a program in the place of its own, as the forwarding driver reads them
// (docs/replacement-format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/programs/extracted.h"
#include "autokernel/programs/product.h"
#include "autokernel/trial/ready_kernel.h"

namespace autokernel::programs {

struct KernelToReplace {
  ExtractedCase extracted;                     // which launches, or which product
  trial::ReadyKernel own;                      // what is launched in their place
  std::optional<trial::ReadyKernel> original;  // the captured kernel; of a product there is none
};

// Why the kernel cannot stand for those launches; none: it can.
[[nodiscard]] std::optional<std::string> why_not_replaceable(const KernelToReplace& kernel);

// Writes the list and the code beside it into the folder, which is there. Each is as the emulated
// device takes it, or as a GPU does. Throws Error(environment).
void write_replacements(const std::filesystem::path& folder,
                        const std::vector<KernelToReplace>& kernels, bool for_emulated_device);

}  // namespace autokernel::programs
