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

}  // namespace

bool is_stressed(const cases::Case& problem) {
  return stands(Defence::stress_inputs) &&
         (is_captured(problem) ||
          std::ranges::any_of(problem.tensors, [](const cases::Tensor& tensor) {
            return tensor.role != cases::Role::out && !tensor.is_scalar &&
                   cases::is_floating(tensor.dtype);
          }));
}

bool must_repeat(const cases::Case& problem) {
  return problem.deterministic || !std::holds_alternative<cases::NotExact>(problem.exactness);
}

std::size_t CheckedSizes::output_bytes() const {
  std::size_t most = std::max(check->output_bytes(), timed->output_bytes());
  for (const SizedCase* const size : further) most = std::max(most, size->output_bytes());
  return most;
}

bool is_edge(const std::string& size_name) { return size_name.starts_with("edge"); }

std::vector<Check> check_plan(const CheckedSizes& sizes, Depth depth) {
  const cases::Case& problem = *sizes.timed->problem;
  const InputKind repeated = timed_input_kind(problem);
  std::vector<Check> checks;
  int launches = 0;
  const auto add = [&](InputKind input_kind, int times, const SizedCase* sized, Stage stage) {
    checks.push_back({input_kind, times, sized, launches + 1, stage});
    launches += times;
  };
  const auto add_both = [&](int times, const SizedCase* sized, Stage stage) {
    add(repeated, times, sized, stage);
    if (repeated != InputKind::declared) add(InputKind::declared, 1, sized, stage);
  };
  const bool repeats = must_repeat(problem) && depth != Depth::quick;
  add_both(repeats ? kRepeats : 1, sizes.check, Stage::smoke);
  if (is_stressed(problem) && depth != Depth::quick) {
    for (const InputKind stress : kStressInputKinds) add(stress, 1, sizes.timed, Stage::stability);
  }
  for (const bool edge : {false, true}) {
    for (const SizedCase* const size : sizes.further) {
      if (is_edge(size->size_name) != edge) continue;
      // In another type, it is another kernel that has to give the same bits each time.
      const bool is_of_another_type = size->type_names() != sizes.check->type_names();
      add_both(repeats && is_of_another_type ? kRepeats : 1, size,
               edge ? Stage::edge_sizes : Stage::sizes);
    }
  }
  return checks;
}

std::string check_name(int number) { return launch_name(LaunchKind::check, number); }

Stage stage_of(const Check& check, int number) {
  return number == check.first ? check.stage : Stage::determinism;
}

std::optional<Rejection> run_check(KernelLauncher& launcher, const Check& check, KeySource& keys,
                                   RecordSink& judged) {
  LaunchSetup none;
  const Key key = keys.draw(check_name(check.first));
  for (int number = check.first; number < check.first + check.launches; ++number) {
    launcher.order_warps(warp_order(number));
    Launching launching = launcher.launch(check.input_kind, key, check_name(number), none, judged);
    if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
  }
  launcher.order_warps(driver::WarpOrder::ascending);
  return std::nullopt;
}

}  // namespace autokernel::trial
