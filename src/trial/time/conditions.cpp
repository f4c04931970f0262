#include "autokernel/trial/conditions.h"

#include <fmt/format.h>

namespace autokernel::trial {
namespace {

// The kernel has as many threads as there are processors: whatever else runs takes from one of
// them. Less than a tenth is what a desktop does by itself.
constexpr double kMuch = 0.1;

}  // namespace

std::vector<std::string> warnings_of(const Conditions& conditions) {
  std::vector<std::string> warnings;
  if (!conditions.unclean.empty()) warnings.push_back(conditions.unclean);
  if (const int others = conditions.other_programs.value_or(0); others > 0) {
    warnings.push_back(fmt::format(
        "{} other program{} the GPU, and may have slowed the kernel down; nvidia-smi shows who",
        others, others == 1 ? " uses" : "s use"));
  }
  if (const double share = conditions.others_cpu_share.value_or(0); share >= kMuch) {
    warnings.push_back(fmt::format(
        "other programs used {:.0f} % of the CPU while kernels were timed", 100 * share));
  }
  return warnings;
}

}  // namespace autokernel::trial
