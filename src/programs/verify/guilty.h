// Which of several kernels makes a program go wrong.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace autokernel::programs {

// Found by halving: with all of `suspects` it goes wrong, and `goes_wrong` tries some of them. One
// of n is found in as many tries as it takes to halve n down to one, and one more where that one
// was never tried by itself. None: with none of the halves by itself does it go wrong, so that it
// takes several together.
[[nodiscard]] std::optional<std::size_t> guilty_one(
    std::vector<std::size_t> suspects,
    const std::function<bool(const std::vector<std::size_t>&)>& goes_wrong);

}  // namespace autokernel::programs
