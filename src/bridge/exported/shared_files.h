// What every export has beside its own files: the case, the record, licences, data for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {

// case/, MEASURED.json, LICENSE, LICENSE.autokernel and tests/data/.
[[nodiscard]] ShippedFiles shared_files(const KernelToShip& kernel, const Signature& signature);

// The part of a README that is the same in all; `files`: what else is there, and what it is.
[[nodiscard]] std::string shared_readme(
    const KernelToShip& kernel, const std::vector<std::pair<std::string, std::string>>& files);

// "9.0a" of "sm_90a".
[[nodiscard]] std::string capability_number(const std::string& architecture);
// Of all: "9.0a", "10.0a".
[[nodiscard]] std::vector<std::string> capability_numbers(const KernelToShip& kernel);

// "compute capability 9.0a, 10.0a".
[[nodiscard]] std::string capabilities_text(const KernelToShip& kernel);

// A paragraph: which sizes there are.
[[nodiscard]] std::string sizes_text(const KernelToShip& kernel);

// The bound of an element of that tensor in a test: twice the case's where results were compared
// with ones in fp64, as the reference's own error comes on top.
[[nodiscard]] cases::Tolerance tolerance_in_tests(const KernelToShip& kernel,
                                                  const trial::ReadyTensor& tensor);

}  // namespace autokernel::bridge
