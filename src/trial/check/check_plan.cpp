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

std::vector<NumberedCheck> checks_at(CheckedAt at, const cases::Case& problem) {
  std::vector<NumberedCheck> checks;
  int first = 1;
  for (const Check& check : check_plan(problem)) {
    if (check.at == at) checks.push_back({check, first});
    first += check.launches;
  }
  return checks;
}

std::optional<Rejection> run_check(KernelLauncher& launcher, const NumberedCheck& numbered,
                                   KeySource& keys, RecordSink& judged) {
  const auto& [check, first] = numbered;
  LaunchSetup none;
  const Key key = keys.draw(check_name(first));
  for (int number = first; number < first + check.launches; ++number) {
    launcher.order_warps(warp_order(number));
    Launching launching = launcher.launch(check.input_kind, key, check_name(number), none, judged);
    if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
  }
  launcher.order_warps(driver::WarpOrder::ascending);
  return std::nullopt;
}

}  // namespace autokernel::trial
