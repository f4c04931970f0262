#include "trial/runner/launcher_phases.h"

#include <array>

namespace autokernel::trial {
namespace {

constexpr std::optional<Phase> kChecksDone;

// The harness's own work is loading its kernels and making the stopwatch.
constexpr std::array<std::optional<Phase>, 5> kAlone = {Phase::harness, Phase::check, kChecksDone,
                                                        Phase::harness, Phase::time};
// Here it is timing the incumbent by itself as well, before the candidate is loaded and after it is
// gone.
constexpr std::array<std::optional<Phase>, 6> kWithIncumbent = {
    Phase::harness, Phase::check, Phase::harness, Phase::check, kChecksDone, Phase::harness};

}  // namespace

LauncherPhases::LauncherPhases(Compared compared)
    : steps_(compared == Compared::with_incumbent ? std::span<const Step>(kWithIncumbent)
                                                  : std::span<const Step>(kAlone)) {}

bool LauncherPhases::step(Step step) {
  if (next_ == steps_.size() || steps_[next_] != step) return false;
  ++next_;
  return true;
}

}  // namespace autokernel::trial
