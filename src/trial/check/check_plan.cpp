#include "trial/check/check_plan.h"

#include <algorithm>

#include "autokernel/base/defences.h"
#include "trial/launch/launch_kind.h"

namespace autokernel::trial {
namespace {

// Launches on one key that must agree.
constexpr int kRepeats = 3;

// On the emulated device a warp runs up to where it has to wait, and then the next one: what an
// earlier warp wrote is always there, with a barrier or without. Every second launch goes the other
// way round, so that one of the repeats does.
driver::WarpOrder warp_order(int launch) {
  return launch % 2 == 0 && stands(Defence::both_warp_orders) ? driver::WarpOrder::descending
                                                              : driver::WarpOrder::ascending;
}

bool has_floating_input(const cases::Case& problem) {
  return std::ranges::any_of(problem.tensors, [](const cases::Tensor& tensor) {
    return tensor.role != cases::Role::out && !tensor.is_scalar && cases::is_floating(tensor.dtype);
  });
}

}  // namespace

bool must_repeat(const cases::Case& problem) {
  return problem.deterministic || !std::holds_alternative<cases::NotExact>(problem.exactness);
}

std::vector<Check> check_plan(const cases::Case& problem) {
  std::vector<Check> checks;
  const InputKind repeated = timed_input_kind(problem);
  checks.push_back({repeated, must_repeat(problem) ? kRepeats : 1, CheckedAt::check_size});
  if (repeated != InputKind::declared)
    checks.push_back({InputKind::declared, 1, CheckedAt::check_size});
  if (has_floating_input(problem) && stands(Defence::stress_inputs)) {
    for (const InputKind stress : kStressInputKinds)
      checks.push_back({stress, 1, CheckedAt::timed_size});
  }
  return checks;
}

std::string check_name(int number) { return launch_name(LaunchKind::check, number); }

std::optional<Rejection> run_checks(KernelLauncher& launcher, CheckedAt at,
                                    const cases::Case& problem, KeySource& keys,
                                    RecordSink& judged) {
  int number = 0;
  LaunchSetup none;
  for (const Check& check : check_plan(problem)) {
    if (check.at != at) {
      number += check.launches;
      continue;
    }
    const Key key = keys.draw(check_name(number + 1));
    for (int i = 0; i < check.launches; ++i) {
      launcher.order_warps(warp_order(++number));
      Launching launching =
          launcher.launch(check.input_kind, key, check_name(number), none, judged);
      if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
    }
  }
  launcher.order_warps(driver::WarpOrder::ascending);
  return std::nullopt;
}

}  // namespace autokernel::trial
