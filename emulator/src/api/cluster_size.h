// How many blocks form a cluster: what the launch, the kernel and the program say of it, reconciled
// as the driver of an H200 does.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "api/module.h"

namespace emulator::api {

using Extents = std::array<std::uint32_t, 3>;

// `asked` is what a launch asks for; zeros: nothing. Nothing where nobody says anything. Throws
// Refusal(CUDA_ERROR_INVALID_CLUSTER_SIZE).
[[nodiscard]] std::optional<Extents> cluster_of(const Kernel& kernel, const Extents& asked);

// The most blocks that a cluster of the kernel may have on the device. That .maxclusterrank allows
// fewer is not counted, as by an H200.
[[nodiscard]] std::uint32_t largest_cluster(const Kernel& kernel);

}  // namespace emulator::api
