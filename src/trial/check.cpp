#include "trial/check.h"

#include <algorithm>

#include "autokernel/base/defences.h"

namespace autokernel::trial {
namespace {

// Launches on one key that must agree.
constexpr int kRepeats = 3;

struct Check {
  Recipe recipe;
  int launches;
};

bool has_floating_input(const cases::Case& problem) {
  return std::ranges::any_of(problem.tensors, [](const cases::Tensor& tensor) {
    return tensor.role != cases::Role::out && tensor.dtype != cases::DType::i32 &&
           tensor.dtype != cases::DType::u8;
  });
}

std::vector<Check> plan(const cases::Case& problem) {
  std::vector<Check> checks;
  const Recipe repeated = timed_recipe(problem);
  checks.push_back({repeated, must_repeat(problem) ? kRepeats : 1});
  if (repeated != Recipe::declared) checks.push_back({Recipe::declared, 1});
  if (has_floating_input(problem) && stands(Defence::stress_inputs)) {
    for (const Recipe stress : kStressRecipes) checks.push_back({stress, 1});
  }
  return checks;
}

}  // namespace

bool must_repeat(const cases::Case& problem) {
  return problem.deterministic || !std::holds_alternative<cases::NotExact>(problem.exactness);
}

Checked run_checks(Launcher& launcher, const SizedCase& sized, Keys& keys) {
  std::vector<LaunchRecord> records;
  Surroundings none;
  for (const Check& check : plan(*sized.problem)) {
    const auto next_name = [&] { return "check launch " + std::to_string(records.size() + 1); };
    const Key key = keys.draw(next_name());
    for (int i = 0; i < check.launches; ++i) {
      const std::string name = next_name();
      Launching launching = launcher.launch(check.recipe, key, name, none);
      if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
      records.push_back(std::move(std::get<Launched>(launching).record));
    }
  }
  return records;
}

}  // namespace autokernel::trial
