#include "cli/compare/triton_tuning.h"

#include <fmt/format.h>

#include <optional>

#include "autokernel/trial/retry.h"

namespace autokernel::cli {

std::string tune_triton(trial::Request& request, const RoundsPlan& plan, const Console& console) {
  const bool has_several = request.kernel_file.extension() == ".py" &&
                           request.source.find("triton.autotune") != std::string::npos &&
                           request.source.find("\nCONFIG") == std::string::npos;
  if (!has_several) return "";
  const std::string source = request.source;
  std::optional<double> least;
  int best = 0;
  int count = 0;
  // There are as many as there are numbers that the compiler knows.
  constexpr int kMost = 256;
  for (; count < kMost; ++count) {
    request.source = fmt::format("{}\nCONFIG = {}\n", source, count);
    const trial::Result result = trial::supervise_with_retry(request, plan.limits, plan.observer);
    if (result.reason.find("CONFIG is ") != std::string::npos &&
        result.reason.find("which prune_configs_by removes") == std::string::npos)
      break;
    // One that does not run here is no candidate.
    if (result.verdict != trial::Verdict::correct || !result.times) continue;
    if (least && result.times->median_us >= *least) continue;
    least = result.times->median_us;
    best = count;
  }
  request.source = fmt::format("{}\nCONFIG = {}\n", source, best);
  console.err << fmt::format("autokernel: the best of {} configurations of {} is no. {}\n", count,
                             request.kernel_file.filename().string(), best);
  return fmt::format(", CONFIG = {} of {}", best, count);
}

}  // namespace autokernel::cli
