// Memory behind the rows of tensors that have a pitch: a kernel must leave it as it is, and what it
// holds is no result.
#pragma once

#include <optional>
#include <vector>

#include "trial/inputs/sized_case.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/rejection.h"

namespace autokernel::trial {

// That padding of an output has other bits than before the launch: those of an input, where it is
// read as well, or else the random bits that follow from the launch's key.
[[nodiscard]] std::optional<Rejection> written_padding(const LaunchRecord& launch,
                                                       const std::vector<Bytes>& inputs);

// Zeros in place of all padding, so that only results are compared.
void clear_padding(const SizedCase& sized, std::vector<Bytes>& outputs);

}  // namespace autokernel::trial
