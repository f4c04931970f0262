#include "api/cluster_size.h"

#include <algorithm>
#include <cstddef>

#include "api/error_translation.h"
#include "api/limits.h"

namespace emulator::api {
namespace {

void require_valid(bool condition) { require(condition, CUDA_ERROR_INVALID_CLUSTER_SIZE); }

}  // namespace

std::optional<Extents> cluster_of(const Kernel& kernel, const Extents& asked) {
  constexpr Extents kNothing = {0, 0, 0};
  const Extents required = kernel.required_cluster();
  if (asked == kNothing && required == kNothing) {
    require_valid(!kernel.function().explicit_cluster);
    return std::nullopt;
  }
  const Extents cluster = asked != kNothing ? asked : required;
  std::uint64_t blocks = 1;
  for (std::size_t d = 0; d < cluster.size(); ++d) {
    // A dimension that is 0 where a size is required is left to the launch.
    require_valid(cluster.at(d) != 0 && (required.at(d) == 0 || required.at(d) == cluster.at(d)));
    blocks = std::min<std::uint64_t>(blocks * cluster.at(d), kLargestCluster + 1);
  }
  require_valid(blocks <= largest_cluster(kernel) &&
                blocks <= kernel.function().max_cluster.value_or(kLargestCluster));
  return cluster;
}

std::uint32_t largest_cluster(const Kernel& kernel) {
  return kernel.non_portable_clusters ? kLargestCluster : kLargestPortableCluster;
}

}  // namespace emulator::api
