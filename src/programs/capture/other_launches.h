// Other captured launches of a kernel whose tensors are known: where theirs lie.
#pragma once

#include <optional>
#include <vector>

#include "autokernel/programs/captured_launch.h"
#include "autokernel/programs/study.h"

namespace autokernel::programs {

// The same tensors in another launch, by the parameters that lead to them. None where it is another
// problem, whose parameters differ in more than addresses, or where one of them was not captured
// whole.
[[nodiscard]] std::optional<std::vector<StudiedTensor>> tensors_in(
    const CapturedLaunch& other, const CapturedLaunch& launch,
    const std::vector<StudiedTensor>& tensors);

// Has the tensors of `launch` reach as far as what was found in `other`. None where they would
// reach into each other, or behind what was captured.
[[nodiscard]] std::optional<std::vector<StudiedTensor>> reaching(
    const CapturedLaunch& launch, std::vector<StudiedTensor> tensors, const CapturedLaunch& other,
    const std::vector<StudiedTensor>& found);

}  // namespace autokernel::programs
