#include "cli/launches_text.h"

#include <fmt/format.h>

namespace autokernel::cli {

std::string launches_text(const programs::ReplacedLaunches& launches) {
  using programs::LaunchOutcome;
  if (launches.seen() == 0) return "not launched";
  std::string text =
      fmt::format("{} of {} launches replaced", launches.replaced(), launches.seen());
  const std::uint64_t in_graphs = launches.of(LaunchOutcome::replaced_in_graph);
  if (in_graphs > 0) text += fmt::format(" ({} of them in CUDA graphs)", in_graphs);
  for (std::size_t i = 0; i < programs::kLaunchOutcomes; ++i) {
    const auto outcome = static_cast<LaunchOutcome>(i);
    const bool is_replaced =
        outcome == LaunchOutcome::replaced || outcome == LaunchOutcome::replaced_in_graph;
    if (is_replaced || launches.of(outcome) == 0) continue;
    text += fmt::format("; {} {}", launches.of(outcome), programs::reason(outcome));
  }
  return text;
}

}  // namespace autokernel::cli
