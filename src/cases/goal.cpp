// [score] and [guard]: what a kernel is kept for.
#include <fmt/format.h>

#include <vector>

#include "autokernel/cases/names.h"
#include "cases/case_sections.h"

namespace autokernel::cases {
namespace {

// Only how weights relate to each other matters; a size that counts a million times less does not
// count.
constexpr NumberRange kWeights = {.low = 1e-3, .high = 1e3};
// Percent of the time. More than twice the time is no guard.
constexpr NumberRange kLosses = {.low = 0.01, .high = 100};
// More than a device has of any of them.
constexpr IntegerRange kResources = {.low = 0, .high = 1 << 20};
constexpr NumberRange kErrors = {.low = 0};

// Of a table whose keys are names of sizes.
std::map<std::string, double> read_by_size(Section& section, const Case& problem,
                                           NumberRange range) {
  std::map<std::string, double> numbers;
  for (const std::string& size : section.keys()) {
    if (!problem.sizes.contains(size)) {
      section.fail(size,
                   fmt::format("is no size of this case; write {}", one_of(size_names(problem))));
    }
    numbers[size] = section.number(size, range);
  }
  if (numbers.empty()) section.fail("names no size; write one of the case's, or leave it out");
  return numbers;
}

void read_guard(Section section, const Case& problem, Goal& goal) {
  const auto resource = [&](const char* key, std::optional<std::uint64_t>& most) {
    if (section.has(key)) most = static_cast<std::uint64_t>(section.integer(key, kResources));
  };
  const auto error = [&](const char* key, std::optional<double>& most) {
    if (section.has(key)) most = section.number(key, kErrors);
  };
  resource("registers", goal.registers);
  resource("spill_bytes", goal.spill_bytes);
  resource("shared_bytes", goal.shared_bytes);
  error("max_abs_error", goal.max_abs_error);
  error("max_rel_error", goal.max_rel_error);
  if (section.has("loss_pct")) {
    Section losses = section.section("loss_pct");
    losses.rename("[guard.loss_pct]");
    goal.most_loss = read_by_size(losses, problem, kLosses);
    for (auto& [size, loss] : goal.most_loss) loss /= 100;
  }
  section.finish();
}

}  // namespace

Goal read_goal(Section& root, const Case& problem) {
  Goal goal;
  if (root.has("score")) {
    Section score = root.section("score");
    goal.score = read_by_size(score, problem, kWeights);
    if (!goal.score.contains("default"))
      score.fail("lacks default, which every run and bench measures; give it a weight");
  }
  if (root.has("guard")) read_guard(root.section("guard"), problem, goal);
  return goal;
}

}  // namespace autokernel::cases
