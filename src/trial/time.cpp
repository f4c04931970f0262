#include "trial/time.h"

#include <algorithm>

namespace autokernel::trial {
namespace {

// Outputs stay in pageable host memory until the candidate is gone.
constexpr std::uint64_t kOutputMemory = 2ULL << 30;

}  // namespace

int samples_that_fit(const SizedCase& sized, std::vector<std::string>& warnings) {
  const int wanted = sized.problem->timing.samples;
  const std::uint64_t fitting =
      std::max<std::uint64_t>(1, kOutputMemory / std::max<std::size_t>(1, sized.output_bytes()));
  if (fitting >= static_cast<std::uint64_t>(wanted)) return wanted;
  warnings.push_back("outputs of " + std::to_string(sized.output_bytes() >> 20U) +
                     " MiB leave host memory for " + std::to_string(fitting) +
                     " samples instead of " + std::to_string(wanted));
  return static_cast<int>(fitting);
}

}  // namespace autokernel::trial
