#include "trial/runner/launch_course.h"

#include <array>

namespace autokernel::trial {
namespace {

constexpr std::optional<Phase> kChecksDone;

// The harness's own work is making the stopwatch.
constexpr std::array<std::optional<Phase>, 4> kAlone = {Phase::check, kChecksDone, Phase::harness,
                                                        Phase::time};
// Here it is making the stopwatch and timing the opponent by itself, before the candidate is loaded
// and after it is gone.
constexpr std::array<std::optional<Phase>, 5> kAgainstAnOpponent = {
    Phase::check, Phase::harness, Phase::check, kChecksDone, Phase::harness};

}  // namespace

LaunchCourse::LaunchCourse(Against against)
    : steps_(against == Against::opponent ? std::span<const Step>(kAgainstAnOpponent)
                                          : std::span<const Step>(kAlone)) {}

bool LaunchCourse::step(Step step) {
  if (next_ == steps_.size() || steps_[next_] != step) return false;
  ++next_;
  return true;
}

}  // namespace autokernel::trial
