// Whether a launch of the program is one that a replacement was judged for.
#pragma once

#include <cuda.h>

#include <optional>
#include <variant>
#include <vector>

#include "driver/launch_view.h"
#include "driver/own_kernel.h"
#include "driver/replacement.h"
#include "driver/tally.h"

namespace autokernel::inject {

// The operands for our launches, or why it is another launch. `listed` are the parameters of the
// kernel as the driver has them.
[[nodiscard]] std::variant<GivenOperands, Outcome> matched(
    const Replacement& replacement, const LaunchView& launch,
    const std::vector<LaunchedFunction::Parameter>& listed);

// The same of tensors that a call names: why they do not lie as they did where it was judged.
[[nodiscard]] std::optional<Outcome> misplaced(const Replacement& replacement,
                                               const std::vector<CUdeviceptr>& tensors);

}  // namespace autokernel::inject
